"use strict";
// Images of the visitor: files, and the camera, whose frames are transformed live.

const SIZE_MAX = 1024, PIXELS = 1 << 26;

// The canvas from which pictures are read.
const reader = document.createElement("canvas");

// Makes a drawable the image, scaled down if it is too large.
function captureDrawable(drawable, width, height, grayToo) {
    const scale = Math.min(1, SIZE_MAX / Math.max(width, height));
    const w = Math.max(1, Math.round(scale * width)), h = Math.max(1, Math.round(scale * height));
    if (reader.width !== w || reader.height !== h)
        Object.assign(reader, {width: w, height: h});
    const context = reader.getContext("2d", {willReadFrequently: true});
    context.clearRect(0, 0, w, h);
    context.drawImage(drawable, 0, 0, w, h);
    const at = must(C.picture(w, h));
    Module.HEAPU8.set(context.getImageData(0, 0, w, h).data, at);
    must(C.capture(grayToo));
    pattern = "";
}

function setPicture(drawable, width, height, name) {
    captureDrawable(drawable, width, height, 1);
    picture = name;
    clearNotice("scaled");
    if (Math.max(width, height) > SIZE_MAX)
        notify(`${name} has ${width} × ${height} pixels and is scaled down to ${C.width()} × ` +
               `${C.height()}.`, "scaled");
    update();
}

async function openFile(file) {
    const image = new Image();
    clearNotice("file");
    stopCamera();
    image.src = URL.createObjectURL(file);
    try {
        await new Promise((yes, no) => Object.assign(image, {onload: yes, onerror: no}));
        const {naturalWidth: width, naturalHeight: height} = image;
        if (width * height > PIXELS)
            notify(`${file.name} has ${width} × ${height} pixels; the limit is ` +
                   `${PIXELS / (1 << 20)} million.`, "file");
        else
            attempt(() => setPicture(image, width, height, file.name));
    } catch (error) {
        notify(`${file.name} is not an image that this browser supports.`, "file");
    } finally {
        URL.revokeObjectURL(image.src);
    }
}

// ---- the camera ----

let live = null; // the video while the camera runs

const isVisible = id => {
    const box = $(id).getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight;
};

// Only pictures on the screen are computed.
function showFrame() {
    if (isVisible("image"))
        showImage();
    if (isVisible(isRedundant() ? "bank" : "mosaic"))
        showMosaic();
    showBands();
    if (isVisible("restored"))
        showRestored();
    if (webgl && isVisible("plane0")) {
        must(C.step(view(), inverse(), state.p));
        showPlanes();
    }
}

const rate = {since: 0, frames: 0, time: 0};

function countFrame(time) {
    const now = performance.now(), seconds = (now - rate.since) / 1e3;
    rate.frames++;
    rate.time += time;
    if (seconds < 1)
        return;
    const frames = rate.frames / seconds, each = rate.time / rate.frames;
    $("rate").textContent = `${C.width()} × ${C.height()}: ` +
        `${frames.toFixed(1)} frames per second, ${each.toFixed(1)} ms per frame.`;
    Object.assign($("rate").dataset, {frames, time: each});
    Object.assign(rate, {since: now, frames: 0, time: 0});
}

function nextFrame(video) {
    const frame = () => {
        if (video !== live)
            return;
        const start = performance.now();
        const {videoWidth: width, videoHeight: height} = video;
        const done = !width || attempt(() => {
            const before = [C.width(), C.height(), C.planes()].join();
            captureDrawable(video, width, height, 0);
            if (before !== [C.width(), C.height(), C.planes()].join())
                applyState();
            showFrame();
        });
        countFrame(performance.now() - start);
        if (done)
            nextFrame(video);
        else
            stopCamera();
    };
    if (video.requestVideoFrameCallback)
        video.requestVideoFrameCallback(frame);
    else
        requestAnimationFrame(frame);
}

async function startCamera() {
    clearNotice("camera");
    try {
        const stream = await navigator.mediaDevices.getUserMedia({video: {
            width: {ideal: SIZE_MAX}, height: {ideal: SIZE_MAX}, facingMode: "environment"}});
        const video = document.createElement("video");
        Object.assign(video, {srcObject: stream, muted: true, playsInline: true});
        await video.play();
        live = video;
        picture = "A frame of the camera";
        $("camera").textContent = "Use this picture";
        document.body.classList.add("live");
        Object.assign(rate, {since: performance.now(), frames: 0, time: 0});
        nextFrame(video);
    } catch (error) {
        notify(`The camera is not available (${error.message || error.name}).`, "camera");
    }
}

function stopCamera() {
    if (!live)
        return;
    for (const track of live.srcObject.getTracks())
        track.stop();
    live = null;
    $("camera").textContent = "Start the camera";
    $("rate").textContent = "";
    document.body.classList.remove("live");
}

function useFrame() {
    stopCamera();
    update();
}

function listenToCamera() {
    $("file").addEventListener("change", () => {
        if ($("file").files[0])
            openFile($("file").files[0]);
    });
    $("camera").addEventListener("click", () => {
        if (live)
            useFrame();
        else
            startCamera();
    });
    if (!navigator.mediaDevices) {
        $("camera").disabled = true;
        $("camera").textContent = "not available here";
    }
}
