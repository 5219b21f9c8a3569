package spec

import (
	"strings"
	"testing"
)

func TestCommasBetweenSpecsAndParameters(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"ogd", "ogd"},
		{"ogd, clasp", "ogd|clasp"},
		{"a:x=1,y=2", "a:x=1,y=2"},
		{"a:x=1,b,c:y=2", "a:x=1|b|c:y=2"},
		{"a:x=1,b:y=2,z=3", "a:x=1|b:y=2,z=3"},
		{`a:x="b,c",y=[1,2],d`, `a:x="b,c",y=[1,2]|d`},
		{"a:x=b:c,d", "a:x=b:c|d"},
	} {
		t.Run(test.text, func(t *testing.T) {
			uses, texts, err := ParseSpecs(test.text)
			if got := strings.Join(texts, "|"); err != nil || got != test.want {
				t.Fatalf("SPECs %s, error %v; want %s", got, err, test.want)
			}
			for i, text := range texts {
				if one, err := ParseSpec(text); err != nil || one.String() != uses[i].String() {
					t.Errorf("SPEC %d is %v; alone %v, error %v", i, uses[i], one, err)
				}
			}
		})
	}
	for _, text := range []string{"", ",", "a,", "a:x=1,", "a:,b", "a:x,b=1", "a,,b", "a\xff"} {
		if _, _, err := ParseSpecs(text); err == nil {
			t.Errorf("%q: accepted, want an error", text)
		}
	}
}
