package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"ocobench/internal/tool"
)

// chromium is a browser without a window.
type chromium struct{ ctx context.Context }

// start starts Chromium for a test and all its subtests, and skips the test where it
// is not installed, or does not start.
func start(t *testing.T) chromium {
	t.Helper()
	path := tool.Find(t, "chromium", "chromium")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1200, 900))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, closeAll := chromedp.NewContext(ctx)
	t.Cleanup(closeAll)
	t.Cleanup(func() { chromedp.Cancel(ctx) }) // and wait for its end
	if err := chromedp.Do(ctx); err != nil {
		t.Skipf("chromium does not start: install Debian's chromium, whole (%s: %v)", path, err)
	}
	return chromium{ctx}
}

// tab is a tab with a page, as a user has it. Whatever goes wrong ends the test.
type tab struct {
	*testing.T
	ctx    context.Context
	file   string
	visits int

	mu     sync.Mutex
	faults []string
}

// open opens a page in a new tab, prepared by the actions, and waits for its first
// rendering. The test fails if the page ever writes an error or a warning to the console,
// throws what nobody catches, or asks for anything but itself.
func (b chromium) open(t *testing.T, file, fragment string,
	prepare ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	p := &tab{T: t, file: file}
	ctx, stop := chromedp.NewContext(b.ctx, chromedp.WithListener(p.listen))
	t.Cleanup(stop)
	p.ctx = ctx
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, fault := range p.faults {
			t.Error(fault)
		}
	})
	call(p, emulation.SetFocusEmulationEnabled,
		emulation.SetFocusEmulationEnabledParams{Enabled: true})
	p.do(media(""))
	p.do(prepare...)
	p.visit(fragment)
	return p
}

// address returns the address of a file.
func address(file, fragment string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(file)}
	if fragment != "" {
		return u.String() + "#" + strings.TrimPrefix(fragment, "#")
	}
	return u.String()
}

// visit loads the page anew.
func (p *tab) visit(fragment string) {
	p.Helper()
	p.visits++ // another query, or only the fragment would change
	page, fragment, _ := strings.Cut(address(p.file, fragment), "#")
	p.do(chromedp.Navigate(fmt.Sprintf("%s?%d#%s", page, p.visits, fragment)))
	p.until(`document.documentElement.dataset.ready === "true"`)
	p.frames(3)
}

// listen collects what a page should not do.
func (p *tab) listen(event any) {
	fault := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		u := e.Request.URL
		page := strings.HasPrefix(u, "file:") && e.Type == network.ResourceTypeDocument
		if !page && u != "about:blank" && !strings.HasPrefix(u, "data:") &&
			!strings.HasPrefix(u, "blob:") {
			fault = "it asks for " + u
		}
	case *runtime.EventExceptionThrown:
		fault = "it throws " + e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			fault += " " + x.Description
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning ||
			e.Type == runtime.ConsoleAPICalledTypeAssert {
			fault = fmt.Sprintf("it writes to the console: %s", e.Type)
			for _, arg := range e.Args {
				fault += fmt.Sprintf(" %s%s", arg.Value, arg.Description)
			}
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			fault = "the browser says: " + e.Entry.Text
		}
	}
	if fault != "" {
		p.mu.Lock()
		p.faults = append(p.faults, fault)
		p.mu.Unlock()
	}
}

// patience is how long a page may take for anything.
const patience = 20 * time.Second

// run is chromedp.Run with patience.
func runScript[T any](p *tab, a chromedp.Action[T]) T {
	p.Helper()
	if chromedp.FromContext(p.ctx).Target == nil {
		if err := chromedp.Do(p.ctx); err != nil {
			p.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		p.Fatal(err)
	}
	return v
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	runScript(p, chromedp.Steps(steps...))
}

// call runs a command of the protocol.
func call[P, R any](p *tab, c cdp.Command[P, R], params P) R {
	p.Helper()
	return runScript(p, func(ctx context.Context, t *chromedp.Target) (R, error) {
		return cdp.Call(ctx, t, c, params)
	})
}

// look evaluates the body of a function of the arguments $0, $1, … in the page, which may await.
// What is undefined is the zero value.
func look[T any](p *tab, body string, args ...any) (v T) {
	p.Helper()
	names := make([]string, len(args))
	values := make([]string, len(args))
	for i, arg := range args {
		text, err := json.Marshal(arg)
		if err != nil {
			p.Fatal(err)
		}
		names[i], values[i] = fmt.Sprintf("$%d", i), string(text)
	}
	expression := fmt.Sprintf("(async (%s) => { %s })(%s).then(v => JSON.stringify(v ?? null))",
		strings.Join(names, ", "), body, strings.Join(values, ", "))
	text := runScript(p, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		p.Fatalf("%s: %v", body, err)
	}
	return v
}

// until waits for an expression to be true.
func (p *tab) until(expression string, args ...any) {
	p.Helper()
	for start := time.Now(); !look[bool](p, "return !!("+expression+")",
		args...); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > patience {
			p.Fatalf("it never comes to %s %q", expression, args)
		}
	}
}

// text returns what stands in the first element of a selector.
func (p *tab) text(selector string) string {
	p.Helper()
	p.there(selector)
	return look[string](p, "return document.querySelector($0).textContent", selector)
}

// there ends the test where the page lacks an element.
func (p *tab) there(selector string) {
	p.Helper()
	if !look[bool](p, "return document.querySelector($0) !== null", selector) {
		p.Fatalf("there is no %s", selector)
	}
}

// click presses and releases the mouse in the middle of an element, which nothing may cover.
func (p *tab) click(selector string, options ...chromedp.MouseOption) {
	p.Helper()
	p.there(selector)
	at := look[struct {
		X, Y float64
		Over string
	}](p, `
		const element = document.querySelector($0);
		element.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
		const box = element.getBoundingClientRect();
		const x = box.x + box.width/2, y = box.y + box.height/2, top = document.elementFromPoint(x, y);
		const hit = top && (element.contains(top) || top.contains(element) && top.tagName === "LABEL");
		return {x, y, over: hit ? "" : top ? top.outerHTML.slice(0, 200) : "the edge of the window"};
	`, selector)
	if at.Over != "" {
		p.Fatalf("%s cannot be clicked: there is %s", selector, at.Over)
	}
	p.do(chromedp.MouseClickXY(at.X, at.Y, options...))
	p.frames(1)
}

// keys presses keys.
func (p *tab) keys(keys string, options ...chromedp.KeyOption) {
	p.Helper()
	p.do(chromedp.KeyEvent(keys, options...))
	p.frames(1)
}

// choose picks the option of a select by its value, which must be there.
func (p *tab) choose(selector, value string) {
	p.Helper()
	p.there(selector)
	found := look[bool](p, `
		const select = document.querySelector($0);
		if (![...select.options].some(o => o.value === $1 && !o.disabled)) return false;
		select.focus();
		select.value = $1;
		select.dispatchEvent(new Event("input", {bubbles: true}));
		select.dispatchEvent(new Event("change", {bubbles: true}));
		return true`, selector, value)
	if !found {
		p.Fatalf("%s has no option %q, but %q", selector, value, p.options(selector))
	}
}

// options returns the values that a select offers.
func (p *tab) options(selector string) []string {
	p.Helper()
	return look[[]string](p, "return [...document.querySelector($0).options].filter(o => "+
		"!o.disabled).map(o => o.value)", selector)
}

// frames waits for frames to be drawn. What a change of the layout draws, as charts do, is
// drawn in the frames after it.
func (p *tab) frames(n int) {
	p.Helper()
	look[any](p, "for (let k = 0; k < $0; k++) await new Promise(requestAnimationFrame)", n)
}

// focus tells what has the focus, by a selector that it is to match.
func (p *tab) focus(selector string) {
	p.Helper()
	if !look[bool](p, "return document.activeElement.matches($0)", selector) {
		p.Errorf("the focus is on %s, not on %s",
			look[string](p, "return document.activeElement.outerHTML.slice(0, 200)"), selector)
	}
}

// media emulates a medium, with features as name and value, for a reader who wants no motion.
func media(medium string, features ...string) chromedp.Action[chromedp.Void] {
	params := emulation.SetEmulatedMediaParams{Media: medium}
	features = append(features, "prefers-reduced-motion", "reduce")
	for i := 0; i < len(features); i += 2 {
		params.Features = append(params.Features,
			&emulation.MediaFeature{Name: features[i], Value: features[i+1]})
	}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, params)
		return err
	})
}
