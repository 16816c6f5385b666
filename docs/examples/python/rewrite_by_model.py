"""A language model rewrites questions: any service with the API of OpenAI's chat completions (CHAT_URL, CHAT_MODEL)."""

import json
import os
import urllib.request

from hybrid_search import Index

PROMPT = """Rewrite the question of a user for a search in English documents. Answer with a JSON object:
"question": the question in English, without what the filters state;
"filters": an object of the fields that the question limits, or null. Fields: metadata.year (an integer)."""


def rewrite(question):
    """The question and the filters that the model makes of a question."""
    messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": question}]
    body = {
        "model": os.environ.get("CHAT_MODEL", "gpt-4o-mini"),
        "messages": messages,
        "temperature": 0,
        "response_format": {"type": "json_object"},
    }
    request = urllib.request.Request(
        f"{os.environ.get('CHAT_URL', 'https://api.openai.com/v1')}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('CHAT_KEY', '')}"},
    )
    with urllib.request.urlopen(request, timeout=5) as response:
        return json.loads(json.load(response)["choices"][0]["message"]["content"])


index = Index(rewrite=rewrite)
index.add(
    [
        {"id": "a", "content": "The warranty period is two years.", "metadata": {"year": 2023}},
        {"id": "b", "content": "The warranty period is three years.", "metadata": {"year": 2024}},
        {"id": "c", "content": "Returns are free of charge.", "metadata": {"year": 2024}},
    ]
)
for question in ("2024年的保修期多长？", "warranty"):
    page = index.search(question, explain=True)
    print(question, [hit.id for hit in page])
    print("  searched:", page.explain.get("rewritten", {}).get("question", question))
    for warning in page.warnings:
        print("  warning:", warning.split(": ")[0])
