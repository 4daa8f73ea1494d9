package reclaim

import (
	"path"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
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

// kindOf classifies a call. Tools that are not known are taken for what their
// name says they change or ask; everything else about them stays unknown.
func kindOf(c message.ToolCall) toolKind {
	name := c.Name
	for _, separator := range []string{"__", "."} { // mcp__server__tool, developer__shell
		if i := strings.LastIndex(name, separator); i >= 0 {
			name = name[i+len(separator):]
		}
	}
	name = strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
	if name == "texteditor" || name == "strreplaceeditor" || name == "strreplacebasededittool" {
		if rawjson.Text(rawjson.Get(c.Arguments, "command")) == "view" {
			return readTool
		}
		return changeTool
	}
	return knownTools[name]
}

// targetKeys are the arguments that name a file, in the tools above.
var targetKeys = []string{"file_path", "path", "filePath", "filepath", "absolute_path", "notebook_path", "target_file", "filename", "file"}

// rangeKeys are the arguments with which a read shows a part of a file.
var rangeKeys = []string{"offset", "limit", "start_line", "end_line", "view_range", "start", "end", "lines"}

// target returns the file that a call is about, or "".
func target(c message.ToolCall) string {
	for _, key := range targetKeys {
		if file := rawjson.Text(rawjson.Get(c.Arguments, key)); file != "" {
			return path.Clean(strings.ReplaceAll(file, `\`, "/"))
		}
	}
	return ""
}

// shownRange returns which part of the file a read asked for, "" for all of it.
func shownRange(c message.ToolCall) string {
	var shown strings.Builder
	for _, key := range rangeKeys {
		if v := rawjson.Get(c.Arguments, key); !rawjson.IsNull(v) {
			shown.WriteString(key + "=" + string(v) + " ")
		}
	}
	return shown.String()
}
