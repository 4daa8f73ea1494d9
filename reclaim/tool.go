package reclaim

import (
	"path"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// toolKind is what a tool does, as far as it matters for whether anybody would
// reread an old result of it.
type toolKind int

const (
	otherTool  toolKind = iota // not known: its results may have decided something
	readTool                   // shows a file
	changeTool                 // changes a file
	listTool                   // lists files
	searchTool                 // searches in files or on the web
	runTool                    // runs a command
	fetchTool                  // fetches a page
	askTool                    // asks a person
	planTool                   // plans, skills, to-do lists: instructions to go on by
)

// knownTools has the tools of the programs whose files package transcript
// reads, in lower case without separators.
var knownTools = map[string]toolKind{
	"read": readTool, "readfile": readTool, "readmanyfiles": readTool, "view": readTool, "viewimage": readTool, "notebookread": readTool, "cat": readTool,
	"write": changeTool, "writefile": changeTool, "writetofile": changeTool, "edit": changeTool, "multiedit": changeTool, "notebookedit": changeTool,
	"replace": changeTool, "replaceinfile": changeTool, "patch": changeTool, "applypatch": changeTool, "strreplace": changeTool,
	"ls": listTool, "list": listTool, "listdir": listTool, "listdirectory": listTool, "listfiles": listTool, "glob": listTool, "find": listTool, "listcodedefinitionnames": listTool,
	"grep": searchTool, "grepfiles": searchTool, "grepsearch": searchTool, "searchfiles": searchTool, "searchfilecontent": searchTool, "websearch": searchTool, "googlewebsearch": searchTool, "sourcegraph": searchTool, "toolsearch": searchTool,
	"bash": runTool, "shell": runTool, "execcommand": runTool, "executecommand": runTool, "runshellcommand": runTool, "localshell": runTool, "bashoutput": runTool, "writestdin": runTool,
	"fetch": fetchTool, "webfetch": fetchTool, "download": fetchTool, "browseraction": fetchTool,
	"askuser": askTool, "askuserquestion": askTool, "askfollowupquestion": askTool, "question": askTool, "attemptcompletion": askTool,
	"todowrite": planTool, "todoread": planTool, "todos": planTool, "writetodos": planTool, "updateplan": planTool, "enterplanmode": planTool, "exitplanmode": planTool, "planexit": planTool,
	"skill": planTool, "activateskill": planTool, "savememory": planTool, "checkpoint": planTool, "rewind": planTool, "recall": readTool,
}

// kindOf classifies a call by the tool's name. Tools that are not known stay
// unknown: their results may have decided something.
func kindOf(name string, arguments []byte) toolKind {
	for _, separator := range []string{"__", "."} { // mcp__server__tool, developer__shell
		if i := strings.LastIndex(name, separator); i >= 0 {
			name = name[i+len(separator):]
		}
	}
	plain := make([]byte, 0, 32)
	for i := range len(name) {
		switch c := name[i]; {
		case 'A' <= c && c <= 'Z':
			plain = append(plain, c|0x20)
		case c != '_' && c != '-' && c != ' ':
			plain = append(plain, c)
		}
	}
	switch string(plain) {
	case "texteditor", "strreplaceeditor", "strreplacebasededittool":
		if rawjson.Text(rawjson.Get(arguments, "command")) == "view" {
			return readTool
		}
		return changeTool
	}
	return knownTools[string(plain)]
}

// fileOf reads from the arguments of a call which file it is about, and which
// part of it a read asked for ("" for all).
func fileOf(arguments []byte) (target, shown string) {
	_ = rawjson.Members(arguments, func(key string, v []byte) error {
		switch key {
		case "file_path", "path", "filePath", "filepath", "absolute_path", "notebook_path", "target_file", "filename", "file":
			if file := rawjson.Text(v); file != "" && target == "" {
				target = path.Clean(strings.ReplaceAll(file, `\`, "/"))
			}
		case "offset", "limit", "start_line", "end_line", "view_range", "start", "end", "lines":
			if !rawjson.IsNull(v) {
				shown += key + "=" + string(v) + " "
			}
		}
		return nil
	})
	return target, shown
}
