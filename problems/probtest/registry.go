package probtest

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"ocobench/problems"
)

// Registry returns what is wrong with the entries of a registry: a missing name,
// sentence, reference, version or constructor, and names that are used twice.
func Registry(all []problems.Problem) error {
	var errs []error
	seen := map[string]bool{}
	for _, p := range all {
		if seen[p.Name] {
			errs = append(errs, fmt.Errorf("two problems are called %q", p.Name))
		}
		seen[p.Name] = true
		if err := checkEntry(p); err != nil {
			errs = append(errs, fmt.Errorf("%q: %w", p.Name, err))
		}
	}
	return errors.Join(errs...)
}

// kebabCase matches the names that entries may have, such as online-qp.
var kebabCase = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// checkEntry returns what is wrong with an entry of a registry, or nil.
func checkEntry(p problems.Problem) error {
	switch {
	case !kebabCase.MatchString(p.Name):
		return errors.New("the name is not in kebab-case")
	case p.Name == "all", p.Name == "others":
		return fmt.Errorf("in experiments the name %s stands for every entry, or every other one", p.Name)
	case p.Doc == "" || strings.ContainsAny(p.Doc, "\n"):
		return errors.New("its Doc is not one sentence")
	case p.Reference == "":
		return errors.New("its Reference is empty")
	case p.Version < 1:
		return errors.New("its Version is not at least 1")
	case p.New == nil:
		return errors.New("its New is nil")
	case p.Params != nil && reflect.TypeOf(p.Params).Kind() != reflect.Struct:
		return fmt.Errorf("its Params is a %T, not a struct", p.Params)
	}
	return nil
}
