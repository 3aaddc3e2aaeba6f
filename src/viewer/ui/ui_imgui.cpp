// Calls of Dear ImGui, versions 1.86 to 1.92, for ui.h and toolkit.h. The only C++ file of the
// program. What panels, controls, texts and drawings consist of is in ui.c, the contents of frames
// in ui_record.c.
#include "theme.h"
#include "toolkit.h"
#include "xmemory.h"

#include <imgui.h>

#include <backends/imgui_impl_opengl3.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string>

namespace {

const unsigned char *font_data, *mono_data;
int font_size_of_file, mono_size_of_file;
ImFont *font, *mono;
float built_scale;
enum wp_theme theme;
int panels; // open, the menu included

const float FONT_SIZE = 15.0F;
const float LABEL = 6.0F; // offset of controls in a row, in lines of text

ImVec4 vec(enum wp_ui_colour c, float alpha)
{
    const unsigned char *rgb = wp_theme_colour(theme, c);
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
    return panels > 0 ? ImGui::GetWindowDrawList() : ImGui::GetBackgroundDrawList();
}

std::string hidden(const char *name)
{
    return std::string("##") + name;
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

void wp_gui_destroy(void)
{
    if (!ImGui::GetCurrentContext())
        return;
    if (ImGui::GetIO().BackendRendererUserData) // else ImGui_ImplOpenGL3_Init() failed, and
                                                // shutdown would abort
        ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
    panels = 0;
}

void wp_ui_mouse_move(float x, float y)
{
#if IMGUI_VERSION_NUM < 18700
    ImGui::GetIO().MousePos = ImVec2(x, y);
#else
    ImGui::GetIO().AddMousePosEvent(x, y);
#endif
}

void wp_gui_mouse_button(int button, bool down)
{
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

bool wp_gui_has_active(void)
{
    return ImGui::IsAnyItemActive();
}

bool wp_gui_has_list(void)
{
    return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

bool wp_gui_shift(void)
{
    return ImGui::GetIO().KeyShift;
}

void wp_gui_navigate(bool on)
{
    if (on)
        ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    else
        ImGui::GetIO().ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
}

void wp_gui_focus_panel(const char *name)
{
    ImGui::SetWindowFocus(name);
}

void wp_gui_key(int key, bool down)
{
    ImGuiIO &io = ImGui::GetIO();
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

void wp_gui_begin_frame(int width, int height, float seconds, enum wp_theme new_theme, float scale)
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
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
}

void wp_gui_end_frame(void (*add)(const void *data, size_t size))
{
    ImGui::Render();
    const ImDrawData *data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; i++) {
        const ImDrawList *part = data->CmdLists[i];
        add(part->VtxBuffer.Data, (size_t)part->VtxBuffer.Size * sizeof *part->VtxBuffer.Data);
        add(part->IdxBuffer.Data, (size_t)part->IdxBuffer.Size * sizeof *part->IdxBuffer.Data);
        for (const ImDrawCmd &command : part->CmdBuffer)
            add(&command.ClipRect, sizeof command.ClipRect);
    }
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

const char *wp_gui_name(void)
{
    return "Dear ImGui " IMGUI_VERSION;
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

bool wp_gui_begin_panel(const char *name, float x, float y, float width, float height,
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
    panels++;
    if (flags & WP_UI_TIGHT)
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(4.0F, 2.0F));
    const bool open = ImGui::Begin(name, NULL, style);
    if (flags & WP_UI_TIGHT)
        ImGui::PopStyleVar();
    return open;
}

void wp_gui_end_panel(void)
{
    panels--;
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

bool wp_gui_begin_menu_bar(struct wp_gui_item *bar)
{
    if (!ImGui::BeginMainMenuBar())
        return false;
    panels++;
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    *bar = {at.x, at.y, at.x + size.x, at.y + size.y, false, false, false};
    return true;
}

void wp_gui_end_menu_bar(void)
{
    panels--;
    ImGui::EndMainMenuBar();
}

bool wp_gui_begin_menu(const char *label)
{
    return ImGui::BeginMenu(label);
}

void wp_gui_end_menu(bool close)
{
    if (close)
        ImGui::CloseCurrentPopup();
    ImGui::EndMenu();
}

bool wp_gui_menu_item(const char *label, const char *keys, bool ticked)
{
    return ImGui::MenuItem(label, keys, ticked);
}

void wp_ui_separator(void)
{
    ImGui::Separator();
}

bool wp_gui_section(const char *label, bool open_at_first)
{
    return ImGui::CollapsingHeader(label, open_at_first ? ImGuiTreeNodeFlags_DefaultOpen : 0);
}

// Six tabs fit the panel's default width.
static void push_tabs(void)
{
    const ImVec2 padding = ImGui::GetStyle().FramePadding, gap = ImGui::GetStyle().ItemInnerSpacing;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0.3F * padding.x, padding.y));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemInnerSpacing, ImVec2(0.3F * gap.x, gap.y));
}

bool wp_gui_begin_tabs(const char *name)
{
    push_tabs();
    const bool shown = ImGui::BeginTabBar(name);
    ImGui::PopStyleVar(2);
    return shown;
}

bool wp_gui_tab(const char *label, bool select)
{
    push_tabs();
    const bool open = ImGui::BeginTabItem(label, NULL, select ? ImGuiTabItemFlags_SetSelected : 0);
    ImGui::PopStyleVar(2);
    return open;
}

void wp_gui_end_tab(void)
{
    ImGui::EndTabItem();
}

void wp_gui_end_tabs(void)
{
    ImGui::EndTabBar();
}

// ---- The latest item.

struct wp_gui_item wp_gui_item(void)
{
    const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
    const bool active = ImGui::IsItemActive();
    return {a.x, a.y, b.x, b.y, ImGui::IsItemFocused(), active,
            active && ImGui::IsMouseDoubleClicked(0)};
}

void wp_gui_outline(const struct wp_gui_item *item)
{
    ImGui::GetWindowDrawList()->AddRect(ImVec2(item->left - 2.0F, item->top - 2.0F),
                                        ImVec2(item->right + 2.0F, item->bottom + 2.0F),
                                        u32(WP_UI_ACCENT, 1.0F), 3.0F, 0, 2.0F);
}

// ---- Layout.

unsigned wp_gui_id(const char *name)
{
    return ImGui::GetID(hidden(name).c_str());
}

void wp_gui_align(void)
{
    ImGui::AlignTextToFramePadding();
}

void wp_gui_indent(void)
{
    ImGui::SameLine(LABEL * ImGui::GetFontSize());
}

void wp_gui_row(const char *label)
{
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(label);
    wp_gui_indent();
    ImGui::SetNextItemWidth(-1.0F);
}

struct wp_gui_metrics wp_gui_metrics(void)
{
    const ImVec2 left = ImGui::GetContentRegionAvail();
    const ImGuiStyle &style = ImGui::GetStyle();
    return {left.x, left.y, style.FramePadding.x, style.GrabMinSize,
            ImGui::GetTextLineHeight()};
}

float wp_gui_width(const char *begin, const char *end)
{
    return ImGui::CalcTextSize(begin, end).x;
}

void wp_gui_mono(bool on)
{
    if (on)
        push_mono();
    else
        ImGui::PopFont();
}

// ---- Controls.

void wp_gui_text(unsigned style, const char *text)
{
    const unsigned colour = style & ~(unsigned)(WP_UI_WRAPPED | WP_UI_MONO);
    if (style & WP_UI_WRAPPED)
        ImGui::PushTextWrapPos(0.0F);
    if (style & WP_UI_MONO)
        push_mono();
    ImGui::PushStyleColor(ImGuiCol_Text, vec((enum wp_ui_colour)colour, 1.0F));
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
    if (style & WP_UI_MONO)
        ImGui::PopFont();
    if (style & WP_UI_WRAPPED)
        ImGui::PopTextWrapPos();
}

void wp_gui_read_only(const char *name, char *text, size_t size, float width, float height)
{
    ImGui::PushStyleColor(ImGuiCol_FrameBg, ImVec4(0.0F, 0.0F, 0.0F, 0.0F));
    ImGui::InputTextMultiline(hidden(name).c_str(), text, size, ImVec2(width, height),
                              ImGuiInputTextFlags_ReadOnly);
    ImGui::PopStyleColor();
}

bool wp_gui_begin_list(const char *name, const char *shown)
{
    return ImGui::BeginCombo(hidden(name).c_str(), shown, ImGuiComboFlags_NoArrowButton);
}

bool wp_gui_list_line(const char *text, bool selected, const char *reason)
{
    const bool pressed = ImGui::Selectable(text, selected,
                                           reason ? ImGuiSelectableFlags_Disabled : 0);
    if (reason && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        ImGui::SetTooltip("%s", reason);
    return pressed;
}

void wp_gui_end_list(bool close)
{
    if (close)
        ImGui::CloseCurrentPopup();
    ImGui::EndCombo();
}

bool wp_gui_wide_button(const char *name, const char *shown)
{
    const std::string id = std::string(shown) + "###" + name;
    ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, ImVec2(0.0F, 0.5F));
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyle().Colors[ImGuiCol_FrameBg]);
    const bool pressed = ImGui::Button(id.c_str(), ImVec2(-1.0F, 0.0F));
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    return pressed;
}

// ImGui hides the value after "##", but takes the number of digits from it.
bool wp_gui_slide_int(const char *name, float width, int *value, int least, int most,
                      const char *format)
{
    ImGui::SetNextItemWidth(width);
    return ImGui::SliderInt(hidden(name).c_str(), value, least, most, hidden(format).c_str(),
                            ImGuiSliderFlags_AlwaysClamp);
}

bool wp_gui_slide_float(const char *name, float width, float *value, float least, float most,
                        bool logarithmic, const char *format)
{
    const int flags = ImGuiSliderFlags_AlwaysClamp |
                      (logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
    ImGui::SetNextItemWidth(width);
    return ImGui::SliderFloat(hidden(name).c_str(), value, least, most, hidden(format).c_str(),
                              flags);
}

bool wp_gui_check(const char *label, bool *value)
{
    return ImGui::Checkbox(label, value);
}

bool wp_gui_button(const char *label, bool on)
{
    if (on)
        ImGui::PushStyleColor(ImGuiCol_Button, vec(WP_UI_ACCENT, 0.45F));
    const bool pressed = ImGui::Button(label);
    if (on)
        ImGui::PopStyleColor();
    return pressed;
}

bool wp_gui_select(const char *label, bool selected, float width)
{
    return ImGui::Selectable(label, selected, 0, ImVec2(width, 0.0F));
}

bool wp_gui_input(const char *name, char *text, int size, bool focus)
{
    if (focus)
        ImGui::SetKeyboardFocusHere();
    return ImGui::InputText(hidden(name).c_str(), text, (size_t)size,
                            ImGuiInputTextFlags_EnterReturnsTrue);
}

void wp_ui_at(float x)
{
    ImGui::SameLine(x + ImGui::GetStyle().WindowPadding.x);
}

void wp_ui_same_line(void)
{
    ImGui::SameLine();
}

void wp_gui_tooltip(const char *text)
{
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

void wp_gui_cursor(float *x, float *y)
{
    const ImVec2 at = ImGui::GetCursorScreenPos();
    *x = at.x;
    *y = at.y;
}

bool wp_gui_space(const char *name, float width, float height)
{
    const ImVec2 size(width, height);
    if (!name) {
        ImGui::Dummy(size);
        return false;
    }
#if IMGUI_VERSION_NUM >= 19140
    return ImGui::InvisibleButton(name, size, ImGuiButtonFlags_EnableNav);
#else
    return ImGui::InvisibleButton(name, size);
#endif
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

// ---- Drawing.

void wp_gui_clip(float x, float y, float width, float height)
{
    list()->PushClipRect(ImVec2(x, y), ImVec2(x + width, y + height), true);
}

void wp_ui_unclip(void)
{
    list()->PopClipRect();
}

void wp_gui_rect(float x, float y, float width, float height, enum wp_ui_colour colour,
                 float alpha)
{
    list()->AddRectFilled(ImVec2(x, y), ImVec2(x + width, y + height), u32(colour, alpha));
}

void wp_gui_frame(float x, float y, float width, float height, enum wp_ui_colour colour,
                  float thickness)
{
    list()->AddRect(ImVec2(x, y), ImVec2(x + width, y + height), u32(colour, 1.0F), 0.0F, 0,
                    thickness);
}

void wp_gui_line(float x0, float y0, float x1, float y1, enum wp_ui_colour colour,
                 float thickness)
{
    list()->AddLine(ImVec2(x0, y0), ImVec2(x1, y1), u32(colour, 1.0F), thickness);
}

void wp_gui_circle(float x, float y, float radius, enum wp_ui_colour colour, bool filled)
{
    if (filled)
        list()->AddCircleFilled(ImVec2(x, y), radius, u32(colour, 1.0F));
    else
        list()->AddCircle(ImVec2(x, y), radius, u32(colour, 1.0F));
}

void wp_gui_draw_text(float x, float y, enum wp_ui_colour colour, float size, const char *text)
{
    list()->AddText(font, size, ImVec2(x, y), u32(colour, 1.0F), text);
}
