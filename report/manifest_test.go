package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A run removes what the run before it wrote and it does not. What the user wrote, changed or
// put in its place stays, and so does everything where the list is not one.
func TestManifestRemovesOnlyItsOwnFiles(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside.pdf")
	write := func(names ...string) (paths []string) {
		t.Helper()
		for _, name := range names {
			path := name
			if !filepath.IsAbs(name) {
				path = filepath.Join(dir, name)
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("of "+name), 0o666); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		return paths
	}
	replace := func(want int, paths []string) {
		t.Helper()
		if removed, err := replaceManifest(dir, paths, nil); err != nil || removed != want {
			t.Fatalf("%d removed, %v, want %d", removed, err, want)
		}
	}
	left := func(want ...string) {
		t.Helper()
		var got []string
		all, err := filepath.Glob(filepath.Join(dir, "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range all {
			name, _ := filepath.Rel(dir, path)
			got = append(got, filepath.ToSlash(name))
		}
		if !slices.Equal(got, want) {
			t.Errorf("left are %q, want %q", got, want)
		}
	}
	write("figures/mine.pdf", outside)
	replace(0, write("figures/a.pdf", "figures/b.pdf", "figures/c.pdf", "figures/d.pdf",
		"tables/t.txt"))
	write("figures/e.pdf")
	edited := filepath.Join(dir, "figures", "b.pdf")
	if err := os.WriteFile(edited, []byte("edited"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"c.pdf": "a.pdf", "d.pdf": outside} { // links of the user
		path := filepath.Join(dir, "figures", name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, path); err != nil {
			t.Skip(err)
		}
	}
	replace(1, write("tables/t.txt", "tables/u.txt"))
	left("figures/b.pdf", "figures/c.pdf", "figures/d.pdf", "figures/e.pdf", "figures/mine.pdf",
		"tables/t.txt", "tables/u.txt")
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}

	// What it does not remove it does not list again, and it lists what there is.
	replace(0, write("tables/t.txt", "tables/u.txt"))
	list := filepath.Join(dir, Manifest)
	data, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(data); strings.Count(text, "\n") != 2 ||
		!strings.Contains(text, "  tables/t.txt\n") {
		t.Errorf("got list %q, want two lines with tables/t.txt", text)
	}

	// A list of files elsewhere, of others, or of nothing that it knows removes nothing.
	sum, err := fileDigest(outside)
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(dir, outside)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "\x00\xff", sum + "\n", sum + "  " + outside + "\n",
		sum + "  " + filepath.ToSlash(relative) + "\n", sum + "  figures/mine.pdf\n",
		strings.Repeat("0", 64) + "  figures/e.pdf\n"} {
		if err := os.WriteFile(list, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		replace(0, write("tables/t.txt", "tables/u.txt"))
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	left("figures/b.pdf", "figures/c.pdf", "figures/d.pdf", "figures/e.pdf", "figures/mine.pdf",
		"tables/t.txt", "tables/u.txt")
}
