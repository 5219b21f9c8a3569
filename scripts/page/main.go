// Command page takes pictures of a page of bench report, to be looked at, and measures how fast the
// page appears. scripts/page.sh makes the page, too.
//
//	page FILE.html DIR
//
// DIR gets desktop.png (1280 × 900), whole.png, cell.png (the first cell opened), dark.png,
// phone.png (390 × 844), phone-whole.png and print.pdf. Standard output has the median of
// five times to the first contentful paint and to the end of the first rendering, and the
// size of the file.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: page FILE.html DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(2)
	}
}

// run opens the page in Chromium, writes pictures of it to dir, and prints how fast it is.
func run(file, dir string) error {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return errors.New("chromium is not installed; apt-get install chromium")
	}
	if file, err = filepath.Abs(file); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 900))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	ctx, closeAll := chromedp.NewContext(ctx)
	defer closeAll()
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()

	var paints, ends []float64
	const loads = 5
	for range loads {
		times, err := loadPage(ctx, address)
		if err != nil {
			return err
		}
		paints, ends = append(paints, times[0]), append(ends, times[1])
	}
	slices.Sort(paints)
	slices.Sort(ends)
	fmt.Printf("first contentful paint %.0f ms, first rendering %.0f ms (medians of %d), %.2f MB\n",
		paints[loads/2], ends[loads/2], loads, float64(info.Size())/1e6)

	desktop, phone := chromedp.EmulateViewport(1280, 900),
		chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2), chromedp.EmulateMobile)
	openFirstCell := chromedp.Steps(discardValue(chromedp.Evaluate[any](
		`document.querySelector("#matrix-table td button").click()`)), chromedp.Sleep(time.Second))
	viewport, fullPage := chromedp.CaptureScreenshot(), chromedp.FullScreenshot(100)
	for _, picture := range []struct {
		name    string
		prepare []chromedp.Action[chromedp.Void]
		take    chromedp.Action[[]byte]
	}{
		{"desktop.png", []chromedp.Action[chromedp.Void]{desktop, scheme("light")}, viewport},
		{"whole.png", []chromedp.Action[chromedp.Void]{desktop, scheme("light")}, fullPage},
		{"cell.png", []chromedp.Action[chromedp.Void]{desktop, scheme("light"), openFirstCell}, viewport},
		{"dark.png", []chromedp.Action[chromedp.Void]{desktop, scheme("dark"), openFirstCell}, fullPage},
		{"phone.png", []chromedp.Action[chromedp.Void]{phone, scheme("light")}, viewport},
		{"phone-whole.png", []chromedp.Action[chromedp.Void]{phone, scheme("light"), openFirstCell},
			fullPage},
		{"print.pdf", []chromedp.Action[chromedp.Void]{desktop, scheme("light"), openFirstCell},
			chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4))},
	} {
		if err := chromedp.Do(ctx, picture.prepare[0]); err != nil {
			return err
		}
		if _, err := loadPage(ctx, address); err != nil {
			return err
		}
		if err := chromedp.Do(ctx, picture.prepare[1:]...); err != nil {
			return err
		}
		data, err := chromedp.Run(ctx, picture.take)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, picture.name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// loadPage loads a page anew, and returns two times in milliseconds: of its first contentful paint
// and of the end of its first rendering.
func loadPage(ctx context.Context, address string) ([]float64, error) {
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank"),
		chromedp.Navigate(address)); err != nil {
		return nil, err
	}
	return chromedp.Run(ctx, chromedp.Evaluate[[]float64](`(async () => {
		let paint;
		while (!(paint = performance.getEntriesByName("first-contentful-paint")[0]) || document.documentElement.dataset.ready !== "true")
			await new Promise(done => setTimeout(done, 10));
		return [paint.startTime, performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd];
	})()`, chromedp.EvalAwaitPromise))
}

// scheme emulates a preferred colour scheme, for a reader who wants no motion.
func scheme(value string) chromedp.Action[chromedp.Void] {
	return discardValue(func(ctx context.Context, t *chromedp.Target) (cdp.Empty, error) {
		return cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: value}, {Name: "prefers-reduced-motion", Value: "reduce"},
			},
		})
	})
}

// discardValue drops the value of an action.
func discardValue[T any](a chromedp.Action[T]) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := a(ctx, t)
		return err
	})
}
