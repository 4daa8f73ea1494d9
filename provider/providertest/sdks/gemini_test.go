package sdks

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/genai"
)

func TestGemini(t *testing.T) {
	fake, url := serve(t)
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{APIKey: "key", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: url}})
	if err != nil {
		t.Fatal(err)
	}
	const model = "gemini-3.1-pro"
	config := &genai.GenerateContentConfig{
		MaxOutputTokens: 500,
		ThinkingConfig:  &genai.ThinkingConfig{IncludeThoughts: true},
		Tools:           []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "read", ParametersJsonSchema: parameters()}}}},
	}
	for name, ask := range map[string]func([]*genai.Content) (*genai.Content, error){
		"whole": func(contents []*genai.Content) (*genai.Content, error) {
			r, err := client.Models.GenerateContent(t.Context(), model, contents, config)
			if err != nil {
				return nil, err
			}
			if r.UsageMetadata.PromptTokenCount == 0 || r.UsageMetadata.CandidatesTokenCount == 0 {
				t.Errorf("usage %+v", r.UsageMetadata)
			}
			return r.Candidates[0].Content, nil
		},
		"streamed": func(contents []*genai.Content) (*genai.Content, error) {
			all := &genai.Content{Role: genai.RoleModel}
			for r, err := range client.Models.GenerateContentStream(t.Context(), model, contents, config) {
				if err != nil {
					return nil, err
				}
				for _, p := range r.Candidates[0].Content.Parts {
					if n := len(all.Parts); p.Text != "" && n > 0 && all.Parts[n-1].Text != "" && all.Parts[n-1].Thought == p.Thought {
						all.Parts[n-1].Text += p.Text
					} else if p.Text != "" || p.FunctionCall != nil {
						all.Parts = append(all.Parts, p)
					}
				}
			}
			return all, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			contents := genai.Text(prompt)
			c, err := ask(contents)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Parts) != 4 || !c.Parts[0].Thought || c.Parts[0].Text != "I shall look." || c.Parts[1].Text != looked || c.Parts[3].FunctionCall.Args["path"] != "b.go" || len(c.Parts[2].ThoughtSignature) == 0 {
				t.Errorf("%+v", c)
			}
			results := &genai.Content{Role: genai.RoleUser}
			for i, text := range []string{"package a", "package b"} {
				call := c.Parts[2+i].FunctionCall
				results.Parts = append(results.Parts, &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: call.ID, Name: call.Name, Response: map[string]any{"output": text}}})
			}
			if c, err = ask(append(contents, c, results)); err != nil || c.Parts[0].Text != answer {
				t.Errorf("%+v, %v", c, err)
			}
			_, err = ask(genai.Text(tooLong()))
			var refused genai.APIError
			if !errors.As(err, &refused) || refused.Code != 400 || refused.Status != "INVALID_ARGUMENT" || !strings.HasPrefix(refused.Message, "The input token count (") {
				t.Errorf("too long: %v", err)
			}
		})
	}
	n, err := client.Models.CountTokens(t.Context(), model, genai.Text(prompt), nil)
	if err != nil || n.TotalTokens == 0 {
		t.Errorf("counted %+v, %v", n, err)
	}
	accepted(t, fake)
}
