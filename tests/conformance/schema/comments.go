package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"reflect"
	"strings"
)

// markers are the "+key=value" lines of a comment, by key.
type markers map[string][]string

func (m markers) has(key string) bool { return m[key] != nil }

func (m markers) one(key string) string {
	if values := m[key]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// comments has the markers of types ("import/path.Type") and of their fields ("import/path.Type.Field").
type comments map[string]markers

func (c comments) ofType(t reflect.Type) markers { return c[t.PkgPath()+"."+t.Name()] }

func (c comments) ofField(t reflect.Type, field string) markers {
	return c[t.PkgPath()+"."+t.Name()+"."+field]
}

// readComments reads the packages listed in a file, one "import-path folder" per line.
func readComments(sources string) (comments, error) {
	file, err := os.Open(sources)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found := comments{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		path, folder, ok := strings.Cut(lines.Text(), " ")
		if !ok {
			return nil, fmt.Errorf("%s: expected an import path and a folder, not %q", sources, lines.Text())
		}
		if err := found.readPackage(path, folder); err != nil {
			return nil, err
		}
	}
	return found, lines.Err()
}

func (c comments) readPackage(path, folder string) error {
	onlySources := func(info fs.FileInfo) bool {
		return !strings.HasSuffix(info.Name(), "_test.go") && !strings.HasPrefix(info.Name(), "zz_") && !strings.HasSuffix(info.Name(), ".pb.go")
	}
	packages, err := parser.ParseDir(token.NewFileSet(), folder, onlySources, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, parsed := range packages {
		for _, file := range parsed.Files {
			for _, declared := range file.Decls {
				if types, ok := declared.(*ast.GenDecl); ok && types.Tok == token.TYPE {
					c.readTypes(path, types)
				}
			}
		}
	}
	return nil
}

func (c comments) readTypes(path string, declared *ast.GenDecl) {
	for _, spec := range declared.Specs {
		named := spec.(*ast.TypeSpec)
		key := path + "." + named.Name.Name
		doc := named.Doc
		if doc == nil {
			doc = declared.Doc
		}
		c[key] = markersOf(doc)
		fields, ok := named.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, field := range fields.Fields.List {
			for _, name := range field.Names {
				c[key+"."+name.Name] = markersOf(field.Doc)
			}
		}
	}
}

func markersOf(doc *ast.CommentGroup) markers {
	if doc == nil {
		return nil
	}
	found := markers{}
	for _, comment := range doc.List {
		for _, line := range strings.Split(comment.Text, "\n") {
			line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "//"))
			if marker, ok := strings.CutPrefix(line, "+"); ok {
				key, value, _ := strings.Cut(marker, "=")
				found[key] = append(found[key], value)
			}
		}
	}
	return found
}
