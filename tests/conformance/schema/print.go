package main

import (
	"sort"
	"strings"
)

// tables returns the text of each table by its name: "core_v1" has the types of io.k8s.api.core.v1. The types of apimachinery outside of
// meta are in "machinery".
func (w *walker) tables() map[string]string {
	packages := map[string][]*entry{}
	for _, e := range w.seen {
		packages[e.pkg] = append(packages[e.pkg], e)
	}
	names := make([]string, 0, len(packages))
	for name := range packages {
		names = append(names, name)
	}
	sort.Strings(names)
	bodies := map[string]string{}
	for _, name := range names {
		bodies[tableName(name)] += packageText(name, packages[name])
	}
	for name, body := range bodies {
		bodies[name] = "R\"table(" + strings.TrimPrefix(body, "\n") + ")table\"\n"
	}
	return bodies
}

func tableName(pkg string) string {
	parts := strings.Split(pkg, ".")
	if !strings.HasPrefix(parts[len(parts)-1], "v") {
		return "machinery"
	}
	return strings.Join(parts[len(parts)-2:], "_")
}

func packageText(pkg string, entries []*entry) string {
	sort.Slice(entries, func(i, j int) bool { return entries[i].name < entries[j].name })
	var out strings.Builder
	out.WriteString("\npackage " + pkg + "\n")
	for _, e := range entries {
		if e.value != "" {
			out.WriteString("value " + e.name + " " + e.value + "\n")
			continue
		}
		out.WriteString("struct " + e.name)
		if e.atomic {
			out.WriteString(" atomic")
		}
		if e.kind != nil {
			out.WriteString(" kind=" + e.kind.GroupVersion().String() + "/" + e.kind.Kind)
		}
		out.WriteString("\n")
		for _, f := range e.fields {
			out.WriteString("  " + strings.Join(append([]string{f.name, f.typ, f.number}, f.flags...), " ") + "\n")
		}
	}
	return out.String()
}
