// Implements ui.h with Dear ImGui, versions 1.86 to 1.92. The only C++ file of the program.
#include "ui.h"

#include "xmemory.h"

#include <imgui.h>

#include <backends/imgui_impl_opengl3.h>

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

// In C++ a const object at namespace scope has internal linkage by default.
extern "C" const char *const wp_theme_names[WP_THEME_COUNT] = {"dark", "light", "contrast"};

namespace {

struct control {
    std::string name;
    float x, y;
};

const unsigned char *font_data, *mono_data;
int font_size_of_file, mono_size_of_file;
ImFont *font, *mono;
float built_scale;
enum wp_theme theme;
std::vector<control> controls, latest;
std::vector<std::string> panels;

// Panel with the keyboard focus, and frames left until its first control gets it.
enum { ENTER_FOCUS = 4, ENTER_PRESS = 3, ENTER_RELEASE = 2 };
std::string entered, focused, latest_focused;
int entering;
bool closing; // close lists and menus in this frame

// Hashes of the latest two frames.
unsigned long long drawn, drawn_before;

// Text reports of this frame and the latest one, if enabled.
bool reporting;
std::string report_text, latest_report;

const float FONT_SIZE = 15.0F;
const float LABEL = 6.0F; // offset of controls in a row, in lines of text

typedef unsigned char palette[WP_UI_COLOURS][3];

// In the order of enum wp_ui_colour. The contrast of text on panels is at least 7:1 in all themes,
// of dim text 4.5:1.
const palette palettes[WP_THEME_COUNT] = {
    {{226, 229, 233}, {150, 157, 166}, {94, 170, 245}, {255, 176, 84}, {24, 26, 29},
     {36, 39, 43}, {66, 71, 78}, {12, 13, 15}, {240, 242, 245}, {111, 182, 247},
     {247, 166, 90}, {255, 105, 97}, {92, 214, 110}, {105, 160, 255}},
    {{28, 31, 36}, {92, 99, 108}, {18, 92, 176}, {168, 78, 0}, {214, 217, 221},
     {243, 244, 246}, {196, 200, 206}, {255, 255, 255}, {24, 26, 30}, {14, 84, 164},
     {164, 76, 0}, {190, 20, 20}, {0, 120, 30}, {20, 60, 210}},
    {{255, 255, 255}, {220, 220, 220}, {120, 205, 255}, {255, 214, 0}, {0, 0, 0}, {0, 0, 0},
     {190, 190, 190}, {0, 0, 0}, {255, 255, 255}, {120, 205, 255}, {255, 190, 60},
     {255, 110, 110}, {110, 255, 110}, {130, 170, 255}},
};

// In the same order.
const char *const colour_names[WP_UI_COLOURS] = {"text", "dim", "accent", "warning", "back",
                                                 "panel", "edge", "black", "white", "a", "b",
                                                 "red", "green", "blue"};

ImVec4 vec(enum wp_ui_colour c, float alpha)
{
    const unsigned char *rgb = palettes[theme][c];
    return ImVec4((float)rgb[0] / 255.0F, (float)rgb[1] / 255.0F, (float)rgb[2] / 255.0F, alpha);
}

ImU32 u32(enum wp_ui_colour c, float alpha)
{
    return ImGui::ColorConvertFloat4ToU32(vec(c, alpha));
}

const ImWchar *ranges()
{
    static const ImWchar list[] = {0x20, 0xFF, 0x2013, 0x2014, 0x2019, 0x2026, 0x2190, 0x2193,
                                   0x21B5, 0x21B5, 0x2206, 0x2206, 0x2212, 0x221E, 0x2248,
                                   0x2265, 0x25A0, 0x25D1, 0};
    return list;
}

ImFont *add_font(const unsigned char *data, int size, float pixels)
{
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<unsigned char *>(data), size,
                                                      pixels, &config, ranges());
}

void build_fonts(float scale)
{
#if IMGUI_VERSION_NUM >= 19200
    // Glyphs are rasterized in the requested size on demand.
    if (!font) {
        font = add_font(font_data, font_size_of_file, FONT_SIZE);
        mono = add_font(mono_data, mono_size_of_file, FONT_SIZE);
    }
    ImGui::GetStyle().FontSizeBase = floorf(FONT_SIZE * scale + 0.5F);
#else
    ImGuiIO &io = ImGui::GetIO();
    io.Fonts->Clear();
    const float pixels = floorf(FONT_SIZE * scale + 0.5F);
    font = add_font(font_data, font_size_of_file, pixels);
    mono = add_font(mono_data, mono_size_of_file, floorf(pixels * 0.93F + 0.5F));
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

void push_mono()
{
#if IMGUI_VERSION_NUM >= 19200
    ImGui::PushFont(mono, floorf(ImGui::GetStyle().FontSizeBase * 0.93F + 0.5F));
#else
    ImGui::PushFont(mono);
#endif
}

void set_style(float scale)
{
#if IMGUI_VERSION_NUM >= 19200
    const float base = ImGui::GetStyle().FontSizeBase;
#endif
    ImGuiStyle style;
    if (theme == WP_THEME_LIGHT)
        ImGui::StyleColorsLight(&style);
    else
        ImGui::StyleColorsDark(&style);
    style.WindowRounding = style.ScrollbarRounding = 0.0F;
    style.FrameRounding = style.GrabRounding = style.TabRounding = style.PopupRounding = 3.0F;
    style.WindowPadding = ImVec2(10.0F, 8.0F);
    style.FramePadding = ImVec2(7.0F, 3.0F);
    style.ItemSpacing = ImVec2(8.0F, 5.0F);
    style.ItemInnerSpacing = ImVec2(6.0F, 4.0F);
    style.ScrollbarSize = 11.0F;
    style.GrabMinSize = 9.0F;
    style.IndentSpacing = 12.0F;
    style.WindowBorderSize = style.PopupBorderSize = 1.0F;
    style.FrameBorderSize = theme == WP_THEME_CONTRAST ? 1.0F : 0.0F;
    style.ScaleAllSizes(scale);
    style.WindowMinSize = ImVec2(1.0F, 1.0F); // required by ImGui
    const float field = theme == WP_THEME_LIGHT ? 0.35F : 0.45F;
    ImVec4 *c = style.Colors;
    c[ImGuiCol_Text] = vec(WP_UI_TEXT, 1.0F);
    c[ImGuiCol_TextDisabled] = vec(WP_UI_DIM, 1.0F);
    c[ImGuiCol_WindowBg] = c[ImGuiCol_MenuBarBg] = vec(WP_UI_PANEL, 1.0F);
    c[ImGuiCol_PopupBg] = vec(WP_UI_PANEL, 0.98F);
    c[ImGuiCol_Border] = vec(WP_UI_LINE, 1.0F);
    c[ImGuiCol_Separator] = vec(WP_UI_LINE, 1.0F);
    c[ImGuiCol_FrameBg] = vec(WP_UI_LINE, field);
    c[ImGuiCol_FrameBgHovered] = vec(WP_UI_LINE, field + 0.25F);
    c[ImGuiCol_FrameBgActive] = vec(WP_UI_LINE, field + 0.4F);
    c[ImGuiCol_Button] = vec(WP_UI_LINE, field + 0.15F);
    c[ImGuiCol_ButtonHovered] = vec(WP_UI_ACCENT, 0.45F);
    c[ImGuiCol_ButtonActive] = vec(WP_UI_ACCENT, 0.65F);
    c[ImGuiCol_Header] = vec(WP_UI_ACCENT, 0.28F);
    c[ImGuiCol_HeaderHovered] = vec(WP_UI_ACCENT, 0.38F);
    c[ImGuiCol_HeaderActive] = vec(WP_UI_ACCENT, 0.5F);
    c[ImGuiCol_CheckMark] = c[ImGuiCol_SliderGrab] = vec(WP_UI_ACCENT, 1.0F);
    c[ImGuiCol_SliderGrabActive] = vec(WP_UI_ACCENT, 0.8F);
    c[ImGuiCol_ScrollbarBg] = vec(WP_UI_PANEL, 0.0F);
    c[ImGuiCol_Tab] = vec(WP_UI_PANEL, 1.0F);
    c[ImGuiCol_TabHovered] = vec(WP_UI_ACCENT, 0.38F);
#if IMGUI_VERSION_NUM >= 19090
    c[ImGuiCol_TabSelected] = vec(WP_UI_ACCENT, 0.28F);
#else
    c[ImGuiCol_TabActive] = vec(WP_UI_ACCENT, 0.28F);
#endif
#if IMGUI_VERSION_NUM >= 19200
    style.FontSizeBase = base;
#endif
    ImGui::GetStyle() = style;
}

ImDrawList *list()
{
    return panels.empty() ? ImGui::GetBackgroundDrawList() : ImGui::GetWindowDrawList();
}

const char *panel_name()
{
    return panels.empty() ? "window" : panels.back().c_str();
}

std::string formatted(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    std::vector<char> text((size_t)vsnprintf(NULL, 0, format, args) + 1);
    vsnprintf(text.data(), text.size(), format, again);
    va_end(again);
    return text.data();
}

std::string words(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const std::string text = formatted(format, args);
    va_end(args);
    return text;
}

std::string number(double value, double least, double most)
{
    return reporting ? words("%g of %g to %g", value, least, most) : "";
}

std::string drawn_with(enum wp_ui_colour colour, float thickness)
{
    return reporting ? words("%s, %g wide", colour_names[colour], (double)thickness) : "";
}

// Adds a line to the report.
void report(const char *kind, float x, float y, float width, float height, const char *text)
{
    if (!reporting)
        return;
    const std::string position = words(" @%.0f,%.0f,%.0f,%.0f ", (double)x, (double)y,
                                       (double)width, (double)height);
    report_text += panel_name() + std::string(" ") + kind + position;
    for (const char *c = text; *c; c++)
        report_text += *c == '\n' ? std::string("\\n") : std::string(1, *c);
    report_text += '\n';
}

// Reports the latest item.
void report_item(const char *kind, const std::string &text)
{
    const ImVec2 a = ImGui::GetItemRectMin(), size = ImGui::GetItemRectSize();
    report(kind, a.x, a.y, size.x, size.y, text.c_str());
}

const char *switched(bool on)
{
    return on ? "on" : "off";
}

// Registers the latest item as a control; its name is the part after "###", if any.
void note(const char *label, const char *value = "")
{
    const char *id = strstr(label, "###");
    label = id ? id + 3 : label;
    const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
    const std::string panel = panel_name();
    controls.push_back({panel + "/" + label, 0.5F * (a.x + b.x), 0.5F * (a.y + b.y)});
    report_item("control", std::string(label) + (*value ? ": " : "") + value);
    if (entered.empty() || !ImGui::IsItemFocused())
        return;
    // Some controls do not show the focus.
    focused = controls.back().name;
    ImGui::GetWindowDrawList()->AddRect(ImVec2(a.x - 2.0F, a.y - 2.0F),
                                        ImVec2(b.x + 2.0F, b.y + 2.0F), u32(WP_UI_ACCENT, 1.0F),
                                        3.0F, 0, 2.0F);
}

// Names of panels with controls, without the menu, whose items all have keys.
std::vector<std::string> panel_names()
{
    std::vector<std::string> names;
    for (const control &c : latest) {
        const std::string name = c.name.substr(0, c.name.find('/'));
        bool known = name == "menu" || name == "window";
        for (const std::string &other : names)
            known = known || other == name;
        if (!known)
            names.push_back(name);
    }
    return names;
}

// Draws the label of a row and positions the next control.
std::string begin_row(const char *label)
{
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(label);
    ImGui::SameLine(LABEL * ImGui::GetFontSize());
    ImGui::SetNextItemWidth(-1.0F);
    return std::string("##") + label;
}

// The key in ImGui, or -1. An int, because the enumeration begins with 0 in some versions and has
// no end in others.
int key_of(int key)
{
    switch (key) {
    case WP_KEY_TAB: return ImGuiKey_Tab;
    case WP_KEY_LEFT: return ImGuiKey_LeftArrow;
    case WP_KEY_RIGHT: return ImGuiKey_RightArrow;
    case WP_KEY_UP: return ImGuiKey_UpArrow;
    case WP_KEY_DOWN: return ImGuiKey_DownArrow;
    case WP_KEY_PAGE_UP: return ImGuiKey_PageUp;
    case WP_KEY_PAGE_DOWN: return ImGuiKey_PageDown;
    case ' ': return ImGuiKey_Space;
    case WP_KEY_HOME: return ImGuiKey_Home;
    case WP_KEY_END: return ImGuiKey_End;
    case WP_KEY_DELETE: return ImGuiKey_Delete;
    case WP_KEY_BACKSPACE: return ImGuiKey_Backspace;
    case WP_KEY_ENTER: return ImGuiKey_Enter;
    case WP_KEY_ESCAPE: return ImGuiKey_Escape;
    case 'A': return ImGuiKey_A;
    case 'C': return ImGuiKey_C;
    case 'V': return ImGuiKey_V;
    case 'X': return ImGuiKey_X;
    default: return -1;
    }
}

unsigned long long mix(unsigned long long hash, unsigned long long word)
{
    hash = (hash ^ word) * 1099511628211ULL;
    return hash ^ hash >> 29;
}

// Hashes four words at a time: a panel may have hundreds of kilobytes of vertices per frame.
unsigned long long add_to_hash(unsigned long long hash, const void *data, size_t size)
{
    enum { CHAINS = 4 };
    const unsigned char *bytes = static_cast<const unsigned char *>(data);
    unsigned long long chain[CHAINS] = {hash, 1, 2, 3}, word[CHAINS];
    for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
        memcpy(word, bytes, sizeof word);
        for (int i = 0; i < CHAINS; i++)
            chain[i] = mix(chain[i], word[i]);
    }
    memset(word, 0, sizeof word);
    memcpy(word, bytes, size);
    for (int i = 0; i < CHAINS; i++)
        hash = mix(hash, mix(chain[i], word[i]));
    return mix(hash, size);
}

unsigned long long hash_of(const ImDrawData *data)
{
    unsigned long long hash = 14695981039346656037ULL;
    for (int i = 0; i < data->CmdListsCount; i++) {
        const ImDrawList *part = data->CmdLists[i];
        hash = add_to_hash(hash, part->VtxBuffer.Data,
                           (size_t)part->VtxBuffer.Size * sizeof *part->VtxBuffer.Data);
        hash = add_to_hash(hash, part->IdxBuffer.Data,
                           (size_t)part->IdxBuffer.Size * sizeof *part->IdxBuffer.Data);
        for (const ImDrawCmd &command : part->CmdBuffer)
            hash = add_to_hash(hash, &command.ClipRect, sizeof command.ClipRect);
    }
    return hash;
}

struct {
    void (*set)(void *user, const char *text);
    const char *(*get)(void *user);
    void *user;
} clipboard;

#if IMGUI_VERSION_NUM >= 19110
void set_clipboard(ImGuiContext *, const char *text)
{
    clipboard.set(clipboard.user, text);
}

const char *get_clipboard(ImGuiContext *)
{
    return clipboard.get(clipboard.user);
}
#endif

void *allocate(size_t size, void *)
{
    return wp_xmalloc(size);
}

void release(void *memory, void *)
{
    free(memory);
}

} // namespace

bool wp_ui_create(const unsigned char *font_file, int font_size, const unsigned char *mono_file,
                  int mono_size)
{
    IMGUI_CHECKVERSION();
    // ImGui does not check for NULL.
    ImGui::SetAllocatorFunctions(allocate, release);
    ImGui::CreateContext();
    font_data = font_file;
    font_size_of_file = font_size;
    mono_data = mono_file;
    mono_size_of_file = mono_size;
    font = mono = NULL;
    built_scale = 0.0F;
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = io.LogFilename = NULL;
    io.ConfigInputTextCursorBlink = false; // so that windows with a text field need no frames when
                                           // idle
#if IMGUI_VERSION_NUM < 18700
    for (int key = 0; key < WP_KEY_COUNT; key++)
        if (key_of(key) >= 0)
            io.KeyMap[key_of(key)] = key;
#endif
    errno = 0;
    const bool ok = ImGui_ImplOpenGL3_Init("#version 330 core");
    if (!ok && errno == ENOMEM)
        wp_xmemory_end();
    return ok;
}

void wp_ui_destroy(void)
{
    if (!ImGui::GetCurrentContext())
        return;
    if (ImGui::GetIO().BackendRendererUserData) // else ImGui_ImplOpenGL3_Init() failed, and
                                                // shutdown would abort
        ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
    controls.clear();
    latest.clear();
    panels.clear();
    entered.clear();
    entering = 0;
    closing = reporting = false;
    report_text.clear();
    latest_report.clear();
}

void wp_ui_mouse_move(float x, float y)
{
#if IMGUI_VERSION_NUM < 18700
    ImGui::GetIO().MousePos = ImVec2(x, y);
#else
    ImGui::GetIO().AddMousePosEvent(x, y);
#endif
}

void wp_ui_mouse_button(int button, bool down)
{
    if (down && !ImGui::GetIO().WantCaptureMouse)
        wp_ui_leave();
#if IMGUI_VERSION_NUM < 18700
    ImGui::GetIO().MouseDown[button] = down;
#else
    ImGui::GetIO().AddMouseButtonEvent(button, down);
#endif
}

void wp_ui_mouse_wheel(float notches)
{
#if IMGUI_VERSION_NUM < 18700
    ImGui::GetIO().MouseWheel += notches;
#else
    ImGui::GetIO().AddMouseWheelEvent(0.0F, notches);
#endif
}

void wp_ui_enter(int step)
{
    const std::vector<std::string> names = panel_names();
    const int count = (int)names.size();
    int now = step > 0 ? -1 : 0;
    for (int i = 0; i < count; i++)
        if (names[(size_t)i] == entered)
            now = i;
    if (count == 0)
        return;
    entered = names[(size_t)((now + step + count) % count)];
    entering = ENTER_FOCUS;
    ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
}

bool wp_ui_close_list(void)
{
    closing = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
    return closing;
}

void wp_ui_leave(void)
{
    if (entered.empty())
        return;
    // Release keys that are still pressed.
    for (int key : {(int)WP_KEY_UP, (int)WP_KEY_DOWN, (int)' '})
        wp_ui_key(key, false);
    entered.clear();
    entering = 0;
    ImGui::GetIO().ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
}

bool wp_ui_captures_key(int key)
{
    return !entered.empty() && (key == ' ' || (key >= WP_KEY_ESCAPE && key <= WP_KEY_END));
}

const char *wp_ui_focused(void)
{
    return latest_focused.c_str();
}

bool wp_ui_needs_frame(void)
{
    return entering > 0;
}

bool wp_ui_changed(void)
{
    return drawn != drawn_before;
}

// Focuses the panel, then presses an arrow key to focus its first control.
static void continue_entering(void)
{
    if (entering == ENTER_FOCUS)
        ImGui::SetWindowFocus(entered.c_str());
    else if (entering == ENTER_PRESS || entering == ENTER_RELEASE)
        wp_ui_key(WP_KEY_DOWN, entering == ENTER_PRESS);
    entering -= entering > 0;
}

void wp_ui_key(int key, bool down)
{
    ImGuiIO &io = ImGui::GetIO();
    // Open popups and active items handle Esc.
    if (key == WP_KEY_ESCAPE && down && !ImGui::IsAnyItemActive() &&
        !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel))
        wp_ui_leave();
    // Tab and Enter behave differently between versions: they act only on text fields, or turn
    // sliders into text fields.
    if (key == WP_KEY_TAB && !entered.empty())
        key = io.KeyShift ? WP_KEY_UP : WP_KEY_DOWN;
    if (key == WP_KEY_ENTER && !entered.empty() && !io.WantTextInput)
        key = ' ';
#if IMGUI_VERSION_NUM < 18700
    io.KeysDown[key] = down;
    io.KeyCtrl = io.KeysDown[WP_KEY_CTRL];
    io.KeyShift = io.KeysDown[WP_KEY_SHIFT];
#else
#if IMGUI_VERSION_NUM < 18900
    const ImGuiKey ctrl = ImGuiKey_ModCtrl, shift = ImGuiKey_ModShift;
#else
    const ImGuiKey ctrl = ImGuiMod_Ctrl, shift = ImGuiMod_Shift;
#endif
    if (key == WP_KEY_CTRL)
        io.AddKeyEvent(ctrl, down);
    else if (key == WP_KEY_SHIFT)
        io.AddKeyEvent(shift, down);
    else if (key_of(key) >= 0)
        io.AddKeyEvent((ImGuiKey)key_of(key), down);
#endif
}

void wp_ui_character(unsigned character)
{
    ImGui::GetIO().AddInputCharacter(character);
}

void wp_ui_set_clipboard(void (*set)(void *user, const char *text),
                         const char *(*get)(void *user), void *user)
{
    clipboard.set = set;
    clipboard.get = get;
    clipboard.user = user;
#if IMGUI_VERSION_NUM >= 19110
    ImGui::GetPlatformIO().Platform_SetClipboardTextFn = set_clipboard;
    ImGui::GetPlatformIO().Platform_GetClipboardTextFn = get_clipboard;
#else
    ImGui::GetIO().SetClipboardTextFn = set;
    ImGui::GetIO().GetClipboardTextFn = get;
    ImGui::GetIO().ClipboardUserData = user;
#endif
}

bool wp_ui_captures_mouse(void)
{
    return ImGui::GetIO().WantCaptureMouse;
}

bool wp_ui_captures_text(void)
{
    return ImGui::GetIO().WantTextInput;
}

void wp_ui_begin_frame(int width, int height, float seconds, enum wp_theme new_theme, float scale)
{
    ImGuiIO &io = ImGui::GetIO();
    io.DisplaySize = ImVec2((float)width, (float)height);
    io.DeltaTime = seconds;
    if (scale != built_scale || new_theme != theme) {
        theme = new_theme;
        set_style(scale);
        if (scale != built_scale)
            build_fonts(scale);
        built_scale = scale;
    }
    controls.clear();
    focused.clear();
    report_text = reporting ? "Dear ImGui " IMGUI_VERSION "\n" : "";
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    continue_entering();
}

void wp_ui_end_frame(void)
{
    latest.swap(controls);
    latest_report.swap(report_text);
    closing = false;
    latest_focused.swap(focused);
    ImGui::Render();
    drawn_before = drawn;
    drawn = hash_of(ImGui::GetDrawData());
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

float wp_ui_em(void)
{
    return ImGui::GetFontSize();
}

void wp_ui_get_colour(enum wp_ui_colour colour, float rgb[3])
{
    const ImVec4 c = vec(colour, 1.0F);
    rgb[0] = c.x;
    rgb[1] = c.y;
    rgb[2] = c.z;
}

bool wp_ui_find_control(const char *label, float *x, float *y)
{
    const bool qualified = strchr(label, '/') != NULL;
    for (const control &c : latest) {
        const char *name = c.name.c_str();
        const char *id = strchr(name, '/') + 1;
        if (strcmp(qualified ? name : id, label) == 0) {
            *x = c.x;
            *y = c.y;
            return true;
        }
    }
    return false;
}

const char *wp_ui_control(int number)
{
    return (size_t)number < latest.size() ? latest[(size_t)number].name.c_str() : NULL;
}

void wp_ui_report(void)
{
    reporting = true;
}

const char *wp_ui_reported(void)
{
    return latest_report.c_str();
}

bool wp_ui_begin_panel(const char *name, float x, float y, float width, float height,
                       unsigned flags)
{
    int style = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                ImGuiWindowFlags_NoSavedSettings;
    if (!(flags & WP_UI_POPUP))
        style |= ImGuiWindowFlags_NoBringToFrontOnFocus;
    if (flags & WP_UI_SCROLL_X)
        style |= ImGuiWindowFlags_HorizontalScrollbar;
    if (flags & WP_UI_BAR)
        style |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
    ImGui::SetNextWindowPos(ImVec2(x, y));
    ImGui::SetNextWindowSize(ImVec2(width > 1.0F ? width : 1.0F, height > 1.0F ? height : 1.0F));
    panels.push_back(name);
    report("panel", x, y, width, height, "");
    if (flags & WP_UI_TIGHT)
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(4.0F, 2.0F));
    const bool open = ImGui::Begin(name, NULL, style);
    if (flags & WP_UI_TIGHT)
        ImGui::PopStyleVar();
    return open;
}

void wp_ui_end_panel(void)
{
    panels.pop_back();
    ImGui::End();
}

bool wp_ui_begin_child(const char *name, float width, float height, unsigned flags)
{
    const int style = (flags & WP_UI_SCROLL_X ? ImGuiWindowFlags_HorizontalScrollbar : 0) |
                      (flags & WP_UI_BAR ? ImGuiWindowFlags_NoScrollbar |
                                               ImGuiWindowFlags_NoScrollWithMouse
                                         : 0);
    // Keyboard navigation includes children as if they had no border.
#if IMGUI_VERSION_NUM >= 19090
    return ImGui::BeginChild(name, ImVec2(width, height), ImGuiChildFlags_NavFlattened, style);
#else
    return ImGui::BeginChild(name, ImVec2(width, height), false,
                             style | ImGuiWindowFlags_NavFlattened);
#endif
}

void wp_ui_end_child(void)
{
    ImGui::EndChild();
}

bool wp_ui_begin_menu_bar(float *height)
{
    panels.push_back("menu");
    if (!ImGui::BeginMainMenuBar()) {
        panels.pop_back();
        return false;
    }
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    report("panel", at.x, at.y, size.x, size.y, "");
    *height = size.y;
    return true;
}

void wp_ui_end_menu_bar(void)
{
    panels.pop_back();
    ImGui::EndMainMenuBar();
}

bool wp_ui_begin_menu(const char *label)
{
    const bool open = ImGui::BeginMenu(label);
    if (!open)
        note(label);
    return open;
}

void wp_ui_end_menu(void)
{
    if (closing)
        ImGui::CloseCurrentPopup();
    ImGui::EndMenu();
}

bool wp_ui_menu_item(const char *label, const char *keys, bool ticked)
{
    const bool pressed = ImGui::MenuItem(label, keys, ticked);
    note(label, (std::string(keys ? keys : "") + (ticked ? " on" : "")).c_str());
    return pressed;
}

void wp_ui_separator(void)
{
    ImGui::Separator();
}

bool wp_ui_section(const char *label, bool open_at_first)
{
    const bool open = ImGui::CollapsingHeader(
        label, open_at_first ? ImGuiTreeNodeFlags_DefaultOpen : 0);
    note(label, switched(open));
    return open;
}

// Six tabs fit the panel's default width.
static void push_tabs(void)
{
    const ImVec2 padding = ImGui::GetStyle().FramePadding, gap = ImGui::GetStyle().ItemInnerSpacing;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0.3F * padding.x, padding.y));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemInnerSpacing, ImVec2(0.3F * gap.x, gap.y));
}

void wp_ui_tabs(const char *name, const char *const *labels, int count, int select,
                void (*show)(void *user, int tab), void *user)
{
    push_tabs();
    const bool shown = ImGui::BeginTabBar(name);
    ImGui::PopStyleVar(2);
    if (!shown)
        return;
    for (int i = 0; i < count; i++) {
        push_tabs();
        const bool open = ImGui::BeginTabItem(labels[i], NULL,
                                              i == select ? ImGuiTabItemFlags_SetSelected : 0);
        ImGui::PopStyleVar(2);
        note(labels[i], switched(open));
        if (open) {
            show(user, i);
            ImGui::EndTabItem();
        }
    }
    ImGui::EndTabBar();
}

void wp_ui_text(unsigned style, const char *format, ...)
{
    const unsigned colour = style & ~(unsigned)(WP_UI_WRAPPED | WP_UI_MONO);
    va_list args;
    va_start(args, format);
    const std::string text = formatted(format, args);
    va_end(args);
    if (style & WP_UI_WRAPPED)
        ImGui::PushTextWrapPos(0.0F);
    if (style & WP_UI_MONO)
        push_mono();
    ImGui::PushStyleColor(ImGuiCol_Text, vec((enum wp_ui_colour)colour, 1.0F));
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
    report_item(colour_names[colour], text);
    if (style & WP_UI_MONO)
        ImGui::PopFont();
    if (style & WP_UI_WRAPPED)
        ImGui::PopTextWrapPos();
}

void wp_ui_listing(const char *name, const char *text)
{
    const size_t length = strlen(text);
    float widest = 0.0F;
    int lines = 1;
    push_mono();
    for (const char *line = text; *line;) {
        const char *end = line + strcspn(line, "\n");
        const float width = ImGui::CalcTextSize(line, end).x;
        widest = width > widest ? width : widest;
        lines += *end == '\n';
        line = *end ? end + 1 : end;
    }
    const float pad = 2.0F * ImGui::GetStyle().FramePadding.x;
    const ImVec2 left = ImGui::GetContentRegionAvail();
    const float width = widest + pad + ImGui::GetFontSize();
    const float height = (float)(lines + 1) * ImGui::GetTextLineHeight();
    // The field is read-only, and its text is copied each frame.
    std::vector<char> copy(text, text + length + 1);
    ImGui::PushStyleColor(ImGuiCol_FrameBg, ImVec4(0.0F, 0.0F, 0.0F, 0.0F));
    ImGui::InputTextMultiline((std::string("##") + name).c_str(), copy.data(), copy.size(),
                              ImVec2(width > left.x ? width : left.x,
                                     height > left.y ? height : left.y),
                              ImGuiInputTextFlags_ReadOnly);
    ImGui::PopStyleColor();
    note(name, text);
    // The center may be scrolled out of view.
    controls.back().x = ImGui::GetItemRectMin().x + ImGui::GetFontSize();
    controls.back().y = ImGui::GetItemRectMin().y + ImGui::GetFontSize();
    ImGui::PopFont();
}

void wp_ui_label(const char *label, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const std::string text = formatted(format, args);
    va_end(args);
    wp_ui_text(WP_UI_DIM, "%s", label);
    ImGui::SameLine(LABEL * ImGui::GetFontSize());
    ImGui::TextUnformatted(text.c_str());
    report_item(colour_names[WP_UI_TEXT], text);
}

float wp_ui_text_width(const char *text)
{
    return ImGui::CalcTextSize(text).x;
}

bool wp_ui_combo(const char *label, int *index, const char *const *names, int count)
{
    return wp_ui_combo_of(label, index, names, NULL, count);
}

bool wp_ui_combo_of(const char *label, int *index, const char *const *names,
                    const char *const *reasons, int count)
{
    const std::string id = begin_row(label);
    bool changed = false;
    const bool known = *index >= 0 && *index < count;
    const bool open = ImGui::BeginCombo(id.c_str(), known ? names[*index] : "",
                                        ImGuiComboFlags_NoArrowButton);
    if (!open)
        note(label, known ? names[*index] : "");
    if (open) {
        for (int i = 0; i < count; i++) {
            const char *reason = reasons ? reasons[i] : NULL;
            if (ImGui::Selectable(names[i], i == *index,
                                  reason ? ImGuiSelectableFlags_Disabled : 0)) {
                *index = i;
                changed = true;
            }
            note(names[i], reason ? reason : "");
            if (reason && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
                ImGui::SetTooltip("%s", reason);
        }
        if (closing)
            ImGui::CloseCurrentPopup();
        ImGui::EndCombo();
    }
    return changed;
}

bool wp_ui_opener(const char *label, const char *shown)
{
    begin_row(label);
    const std::string id = std::string(shown) + "###" + label;
    ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, ImVec2(0.0F, 0.5F));
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyle().Colors[ImGuiCol_FrameBg]);
    const bool pressed = ImGui::Button(id.c_str(), ImVec2(-1.0F, 0.0F));
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    note(label, shown);
    return pressed;
}

bool wp_ui_check(const char *label, bool *value)
{
    const bool changed = ImGui::Checkbox(label, value);
    note(label, switched(*value));
    return changed;
}

// A slider of `width` with its value at the right, where the knob does not cover it; `widest` is
// the widest text. ImGui hides text after "##", but takes the number of digits from it.
template <typename slider, typename type>
static bool slide(float width, const char *format, const char *widest, type *value, slider draw)
{
    const float gap = 0.4F * ImGui::GetFontSize();
    ImGui::SetNextItemWidth(width - gap - ImGui::CalcTextSize(widest).x);
    const bool changed = draw((std::string("##") + format).c_str());
    const std::string shown = words(format, *value);
    const char *text = shown.c_str();
    const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
    const ImVec2 at(b.x + gap, floorf(0.5F * (a.y + b.y - ImGui::GetFontSize())));
    ImGui::GetWindowDrawList()->AddText(at, u32(WP_UI_TEXT, 1.0F), text);
    report("number", at.x, at.y, ImGui::CalcTextSize(text).x, ImGui::GetFontSize(), text);
    return changed;
}

static bool slide_int(const char *name, float width, int *value, int least, int most,
                      const char *format, int widest)
{
    const std::string id = std::string("##") + name;
    const bool changed = slide(width, format, words(format, widest).c_str(), value,
                               [&](const char *digits) {
        return ImGui::SliderInt(id.c_str(), value, least, most, digits,
                                ImGuiSliderFlags_AlwaysClamp);
    });
    note(name, number(*value, least, most).c_str());
    return changed;
}

bool wp_ui_slide_int(const char *label, int *value, int least, int most)
{
    begin_row(label);
    return slide_int(label, wp_ui_width_left(), value, least, most, "%d", most < 100 ? 100 : most);
}

bool wp_ui_slide_bar(const char *name, float width, int *value, int least, int most,
                     const char *format)
{
    return slide_int(name, width, value, least, most, format, most);
}

static bool slide_float(const std::string &id, float width, float *value, float least, float most,
                        bool logarithmic, const char *format, const char *widest)
{
    const int flags = ImGuiSliderFlags_AlwaysClamp |
                      (logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
    return slide(width, format, widest, value, [&](const char *digits) {
        return ImGui::SliderFloat(id.c_str(), value, least, most, digits, flags);
    });
}

void wp_ui_cell_text(enum wp_ui_colour colour, const char *text)
{
    ImGui::AlignTextToFramePadding();
    wp_ui_text(colour, "%s", text);
}

enum wp_ui_slid wp_ui_slide_cell(const char *name, float width, float *value, float least,
                                 float most, bool logarithmic, const char *format)
{
    static ImGuiID reset; // the slider that is held after a double click
    const float before = *value;
    const std::string id = std::string("##") + name;
    const bool changed = slide_float(id, width, value, least, most, logarithmic, format,
                                     logarithmic ? "0.00000" : "0.00");
    const bool active = ImGui::IsItemActive();
    const bool twice = active && ImGui::IsMouseDoubleClicked(0);
    const ImGuiID self = ImGui::GetID(id.c_str());
    reset = twice ? self : active || reset != self ? reset : 0;
    note(name, number(*value, least, most).c_str());
    if (reset != self)
        return changed ? WP_UI_CHANGED : WP_UI_SAME;
    *value = before;
    return twice ? WP_UI_RESET : WP_UI_SAME;
}

bool wp_ui_slide(const char *label, float *value, float least, float most, bool logarithmic,
                 const char *format)
{
    const std::string id = begin_row(label);
    const bool changed = slide_float(id, ImGui::GetContentRegionAvail().x, value, least, most,
                                     logarithmic, format, "0.0000");
    note(label, number(*value, least, most).c_str());
    return changed;
}

void wp_ui_marks(const float *at, int count)
{
    // The slider's grab stops half its width before the ends.
    const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
    const float margin = 2.0F + 0.5F * ImGui::GetStyle().GrabMinSize;
    for (int i = 0; i < count; i++) {
        const float x = floorf(a.x + margin + at[i] * (b.x - a.x - 2.0F * margin)) + 0.5F;
        report("mark", x, a.y, 0.0F, b.y - a.y, "");
        ImGui::GetWindowDrawList()->AddLine(ImVec2(x, b.y - 0.35F * (b.y - a.y)), ImVec2(x, b.y),
                                            u32(WP_UI_WARNING, 1.0F), 1.0F);
    }
}

bool wp_ui_button(const char *label)
{
    const bool pressed = ImGui::Button(label);
    note(label);
    return pressed;
}

bool wp_ui_toggle(const char *label, bool on)
{
    if (on)
        ImGui::PushStyleColor(ImGuiCol_Button, vec(WP_UI_ACCENT, 0.45F));
    const bool pressed = ImGui::Button(label);
    if (on)
        ImGui::PopStyleColor();
    note(label, switched(on));
    return pressed;
}

bool wp_ui_select(const char *label, bool selected, float width)
{
    const bool pressed = ImGui::Selectable(label, selected, 0, ImVec2(width, 0.0F));
    note(label, switched(selected));
    return pressed;
}

bool wp_ui_input(const char *label, char *text, int size, bool focus)
{
    const std::string id = begin_row(label);
    if (focus)
        ImGui::SetKeyboardFocusHere();
    const bool entered = ImGui::InputText(id.c_str(), text, (size_t)size,
                                          ImGuiInputTextFlags_EnterReturnsTrue);
    note(label, text);
    return entered;
}

void wp_ui_at(float x)
{
    ImGui::SameLine(x + ImGui::GetStyle().WindowPadding.x);
}

void wp_ui_same_line(void)
{
    ImGui::SameLine();
}

void wp_ui_tooltip(const char *text)
{
    report_item("tooltip", text);
    if (!ImGui::IsItemHovered())
        return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(22.0F * ImGui::GetFontSize());
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void wp_ui_scroll_here(void)
{
    ImGui::SetScrollHereY(0.5F);
}

bool wp_ui_space(const char *name, float width, float height, float *x, float *y)
{
    const ImVec2 at = ImGui::GetCursorScreenPos(), size(width, height);
    *x = at.x;
    *y = at.y;
    if (!name) {
        ImGui::Dummy(size);
        return false;
    }
#if IMGUI_VERSION_NUM >= 19140
    const bool pressed = ImGui::InvisibleButton(name, size, ImGuiButtonFlags_EnableNav);
#else
    const bool pressed = ImGui::InvisibleButton(name, size);
#endif
    note(name);
    return pressed;
}

bool wp_ui_edge(const char *name, float x, float y, float width, float height, float *pointer)
{
    ImGui::SetNextWindowPos(ImVec2(x, y));
    ImGui::SetNextWindowSize(ImVec2(width, height > 1.0F ? height : 1.0F));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0F, 0.0F));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
    ImGui::Begin(name, NULL, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                 ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                                 ImGuiWindowFlags_NoNav);
    ImGui::InvisibleButton(name, ImVec2(width, height > 1.0F ? height : 1.0F));
    const bool dragged = ImGui::IsItemActive();
    if (dragged || ImGui::IsItemHovered())
        ImGui::GetWindowDrawList()->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
                                                  u32(WP_UI_ACCENT, dragged ? 0.9F : 0.5F));
    ImGui::End();
    ImGui::PopStyleVar(2);
    *pointer = ImGui::GetIO().MousePos.x;
    // A press without motion is not a drag.
    return dragged && ImGui::IsMouseDragging(0, 1.0F);
}

float wp_ui_width_left(void)
{
    return ImGui::GetContentRegionAvail().x;
}

void wp_ui_clip(float x, float y, float width, float height)
{
    report("clip", x, y, width, height, "");
    list()->PushClipRect(ImVec2(x, y), ImVec2(x + width, y + height), true);
}

void wp_ui_unclip(void)
{
    list()->PopClipRect();
}

void wp_ui_draw_rect(float x, float y, float width, float height, enum wp_ui_colour colour,
                     float alpha)
{
    report("rectangle", x, y, width, height, colour_names[colour]);
    list()->AddRectFilled(ImVec2(x, y), ImVec2(x + width, y + height), u32(colour, alpha));
}

void wp_ui_draw_frame(float x, float y, float width, float height, enum wp_ui_colour colour,
                      float thickness)
{
    report("frame", x, y, width, height, drawn_with(colour, thickness).c_str());
    list()->AddRect(ImVec2(x, y), ImVec2(x + width, y + height), u32(colour, 1.0F), 0.0F, 0,
                    thickness);
}

void wp_ui_draw_line(float x0, float y0, float x1, float y1, enum wp_ui_colour colour,
                     float thickness)
{
    report("line", x0, y0, x1 - x0, y1 - y0, drawn_with(colour, thickness).c_str());
    list()->AddLine(ImVec2(x0, y0), ImVec2(x1, y1), u32(colour, 1.0F), thickness);
}

void wp_ui_draw_circle(float x, float y, float radius, enum wp_ui_colour colour, bool filled)
{
    report(filled ? "disc" : "circle", x, y, radius, radius, colour_names[colour]);
    if (filled)
        list()->AddCircleFilled(ImVec2(x, y), radius, u32(colour, 1.0F));
    else
        list()->AddCircle(ImVec2(x, y), radius, u32(colour, 1.0F));
}

void wp_ui_draw_text(float x, float y, float align, enum wp_ui_colour colour, float size,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const std::string text = formatted(format, args);
    va_end(args);
    const float width = align > 0.0F ? wp_ui_text_width(text.c_str()) : 0.0F;
    x -= align * width * size / wp_ui_em();
    report(colour_names[colour], x, y, 0.0F, size, text.c_str());
    list()->AddText(font, size, ImVec2(x, y), u32(colour, 1.0F), text.c_str());
}
