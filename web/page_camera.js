"use strict";
// Images of one's own: files, and the camera, whose frames are transformed as they come.

const SIDE = 1024, PIXELS = 1 << 26;

// The canvas that pictures are read back from.
const reader = document.createElement("canvas");

// Its pixels, scaled down where it is too large, become the image.
function takeDrawable(drawable, width, height, grayToo) {
    const scale = Math.min(1, SIDE / Math.max(width, height));
    const w = Math.max(1, Math.round(scale * width)), h = Math.max(1, Math.round(scale * height));
    if (reader.width !== w || reader.height !== h)
        Object.assign(reader, {width: w, height: h});
    const context = reader.getContext("2d", {willReadFrequently: true});
    context.clearRect(0, 0, w, h);
    context.drawImage(drawable, 0, 0, w, h);
    const at = must(C.picture(w, h));
    Module.HEAPU8.set(context.getImageData(0, 0, w, h).data, at);
    must(C.take_picture(grayToo));
    pattern = "";
}

function takePicture(drawable, width, height, name) {
    takeDrawable(drawable, width, height, 1);
    picture = name;
    untell("scaled");
    if (Math.max(width, height) > SIDE)
        tell(`${name} has ${width} × ${height} pixels and is shown as ${C.width()} × ` +
             `${C.height()}.`, "scaled");
    update();
}

async function takeFile(file) {
    const image = new Image();
    untell("file");
    stopCamera();
    image.src = URL.createObjectURL(file);
    try {
        await new Promise((yes, no) => Object.assign(image, {onload: yes, onerror: no}));
        const {naturalWidth: width, naturalHeight: height} = image;
        if (width * height > PIXELS)
            tell(`${file.name} has ${width} × ${height} pixels, and at most ` +
                 `${PIXELS / (1 << 20)} million are taken.`, "file");
        else
            attempt(() => takePicture(image, width, height, file.name));
    } catch (error) {
        tell(`${file.name} is no image that this browser reads.`, "file");
    } finally {
        URL.revokeObjectURL(image.src);
    }
}

// ---- the camera ----

let live = null; // the video while it runs

const isSeen = id => {
    const box = $(id).getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight;
};

// What nobody looks at is not computed.
function showFrame() {
    if (isSeen("image"))
        showImage();
    if (isSeen("mosaic"))
        showMosaic();
    showBands();
    if (isSeen("restored"))
        showKept();
    if (webgl && isSeen("plane0")) {
        must(C.stage(side(), inverse(), state.p));
        showPlanes();
    }
}

const rate = {since: 0, frames: 0, work: 0};

function countFrame(work) {
    const now = performance.now(), seconds = (now - rate.since) / 1e3;
    rate.frames++;
    rate.work += work;
    if (seconds < 1)
        return;
    const frames = rate.frames / seconds, each = rate.work / rate.frames;
    $("rate").textContent = `${C.width()} × ${C.height()}: ${frames.toFixed(1)} frames a second, ` +
        `${each.toFixed(1)} ms of work each.`;
    Object.assign($("rate").dataset, {frames, work: each});
    Object.assign(rate, {since: now, frames: 0, work: 0});
}

function nextFrame(video) {
    const frame = () => {
        if (video !== live)
            return;
        const start = performance.now();
        const {videoWidth: width, videoHeight: height} = video;
        const done = !width || attempt(() => {
            const before = [C.width(), C.height(), C.planes()].join();
            takeDrawable(video, width, height, 0);
            if (before !== [C.width(), C.height(), C.planes()].join())
                takeState();
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
    untell("camera");
    try {
        const stream = await navigator.mediaDevices.getUserMedia({video: {
            width: {ideal: SIDE}, height: {ideal: SIDE}, facingMode: "environment"}});
        const video = document.createElement("video");
        Object.assign(video, {srcObject: stream, muted: true, playsInline: true});
        await video.play();
        live = video;
        picture = "The camera's picture";
        $("camera").textContent = "Keep this picture";
        document.body.classList.add("live");
        Object.assign(rate, {since: performance.now(), frames: 0, work: 0});
        nextFrame(video);
    } catch (error) {
        tell(`There is no picture of a camera (${error.message || error.name}).`, "camera");
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

function keepPicture() {
    stopCamera();
    update();
}

function listenToCamera() {
    $("file").addEventListener("change", () => {
        if ($("file").files[0])
            takeFile($("file").files[0]);
    });
    $("camera").addEventListener("click", () => {
        if (live)
            keepPicture();
        else
            startCamera();
    });
    if (!navigator.mediaDevices) {
        $("camera").disabled = true;
        $("camera").textContent = "not available here";
    }
}
