import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { collectOutput } from '@ratchet/infra/processes/collect-output'
import { findPython } from '@ratchet/infra/processes/find-python'
import { type SharedFleet, shareFleet } from '../shared-fleet/shared-fleet.ts'
import { wires } from '../wires.ts'
import { workspaceWith } from '../workspace-with.ts'
import { installPython, installTimeoutMs } from './install-software.ts'
import { pythonTools } from './python-tools.ts'

const describeWithPython = findPython().kind === 'found' ? describe : describe.skip

let fleet: SharedFleet
let apiKey: string
let folder: string

beforeAll(async () => {
  fleet = await shareFleet()
  // Responses are stored only where exchanges are logged.
  apiKey = (await workspaceWith(fleet, { loggingEnabled: true })).apiKey
  folder = mkdtempSync(path.join(tmpdir(), 'ratchet-objects-'))
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true }))

type Json = Record<string, unknown>

/** An object of an answer, with the type of the SDK that it must be. */
interface Answered {
  readonly is: string
  readonly object: unknown
  readonly from: string
}

async function ask(url: string, body?: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const method = body === undefined ? 'GET' : 'POST'
  return fetch(`${fleet.url}/v1${url}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

async function plain(is: string, url: string, body?: Json): Promise<Answered> {
  const answer = await ask(url, body)
  const object = await answer.json()
  if (!answer.ok && is !== 'error') throw new Error(`${url}: ${JSON.stringify(object)}`)
  return { is, object, from: `${url} ${JSON.stringify(body ?? {})}` }
}

async function streamed(is: string, url: string, body: Json): Promise<Answered[]> {
  const text = await (await ask(url, { ...body, stream: true })).text()
  const events = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
  expect(events.length).toBeGreaterThan(2)
  return events.map((event) => ({ is, object: JSON.parse(event), from: `stream of ${url} ${JSON.stringify(body)}` }))
}

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const messages = [{ role: 'user', content: 'How is the weather in Bergen?' }]

async function chats(wire: string): Promise<Answered[]> {
  const tools = [{ type: 'function', function: { name: 'weather', parameters } }]
  const bodies = [
    { model: `${wire}/quality-1`, messages },
    { model: `${wire}/tools`, messages, tools },
    { model: `${wire}/quality-1`, messages, max_tokens: 3 },
  ]
  const usage = { stream_options: { include_usage: true } }
  const answers = bodies.flatMap((body) => [
    plain('chat', '/chat/completions', body).then((answered) => [answered]),
    streamed('chat_chunk', '/chat/completions', { ...body, ...usage }),
  ])
  return (await Promise.all(answers)).flat()
}

async function responses(wire: string): Promise<Answered[]> {
  const tools = [{ type: 'function', name: 'weather', parameters }]
  const input = messages[0]?.content
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const bodies = [
    { model: `${wire}/quality-1`, input },
    { model: `${wire}/quality-1`, input: messages, instructions: 'Be brief.', temperature: 0.5, metadata: { a: 'b' } },
    { model: `${wire}/tools`, input, tools },
    { model: `${wire}/quality-1`, input, max_output_tokens: 16 },
    { model: `${wire}/quality-1`, input, text: { format: { type: 'json_schema', name: 'place', schema } } },
    { model: `${wire}/quality-1`, input, store: false },
  ]
  const answers = bodies.flatMap((body) => [
    plain('response', '/responses', body).then((answered) => [answered]),
    streamed('response_event', '/responses', body),
  ])
  return (await Promise.all(answers)).flat()
}

async function stored(): Promise<Answered[]> {
  const { object } = await plain('response', '/responses', { model: 'sim/quality-1', input: 'Why?' })
  const { id } = object as { id: string }
  return Promise.all([
    plain('response', `/responses/${id}`),
    plain('response_items', `/responses/${id}/input_items`),
    plain('models', '/models'),
    plain('model', '/models/sim/small'),
    plain('embeddings', '/embeddings', { model: 'sim/embed', input: ['a', 'b'] }),
    plain('error', '/chat/completions', { model: 'nothing', messages }),
    plain('error', '/responses', { model: 'sim/small' }),
  ])
}

async function anthropics(wire: string): Promise<Answered[]> {
  const tools = [{ name: 'weather', input_schema: parameters }]
  const bodies = [
    { model: `${wire}/quality-1`, max_tokens: 100, messages },
    { model: `${wire}/tools`, max_tokens: 100, messages, tools },
  ]
  const answers = bodies.flatMap((body) => [
    plain('message', '/messages', body).then((answered) => [answered]),
    streamed('message_event', '/messages', body),
  ])
  return (await Promise.all(answers)).flat()
}

/** Answers of the simulated provider itself, which stands for the newest release of each API. */
async function simulated(): Promise<Answered[]> {
  const answer = async (is: string, url: string, headers: Readonly<Record<string, string>>, body: Json) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
    const response = await fetch(`${fleet.provider.baseUrl}${url}`, { ...init, body: JSON.stringify(body) })
    const object = await response.json()
    if (!response.ok) throw new Error(`${url}: ${JSON.stringify(object)}`)
    return { is, object, from: `the simulated ${url}` }
  }
  const anthropic = { 'x-api-key': 'sk-ant-test', 'anthropic-version': '2023-06-01' }
  const google = { 'x-goog-api-key': 'test' }
  const contents = [{ role: 'user', parts: [{ text: 'Why?' }] }]
  const declaration = { name: 'weather', parametersJsonSchema: parameters }
  const tools = [{ name: 'weather', input_schema: parameters }]
  return Promise.all([
    answer('whole_message', '/v1/messages', anthropic, {
      model: 'sim-anthropic/tools',
      max_tokens: 99,
      messages,
      tools,
    }),
    answer('whole_message', '/v1/messages', anthropic, { model: 'sim-anthropic/large', max_tokens: 99, messages }),
    answer('gemini', '/v1beta/models/sim-google/large:generateContent', google, { contents }),
    answer('gemini', '/v1beta/models/sim-google/tools:generateContent', google, {
      contents,
      tools: [{ functionDeclarations: [declaration] }],
    }),
  ])
}

describeWithPython('every object', () => {
  it(
    'has the type that the SDKs of OpenAI and Anthropic and Open Responses declare, on every wire',
    async () => {
      const tools = await installPython(pythonTools)
      const parts = [
        stored(),
        simulated(),
        ...wires.flatMap((wire) => [chats(wire), responses(wire), anthropics(wire)]),
      ]
      const answered = (await Promise.all(parts)).flat()
      writeFileSync(path.join(folder, 'objects.json'), JSON.stringify(answered))
      writeFileSync(path.join(folder, 'check.py'), program)
      const { ok, output } = await collectOutput(path.join(tools, 'python'), ['check.py'], { cwd: folder })
      if (!ok) throw new Error(output.slice(-4_000))
      expect(JSON.parse(output)).toEqual({ checked: expect.any(Number), wrong: {} })
      expect((JSON.parse(output) as { checked: number }).checked).toBeGreaterThan(answered.length)
    },
    installTimeoutMs,
  )
})

const program = `
import json
from typing import Any

import openresponses_types as open_responses
from anthropic.types import Message, RawMessageStreamEvent, Usage
from google.genai.types import GenerateContentResponse
from openai.types import CreateEmbeddingResponse, Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseItem, ResponseStreamEvent
from pydantic import BaseModel, TypeAdapter, ValidationError


class Models(BaseModel):
    object: str
    data: list[Model]


class Items(BaseModel):
    object: str
    data: list[ResponseItem]
    first_id: str | None
    last_id: str | None
    has_more: bool


class ErrorBody(BaseModel):
    message: str
    type: str
    param: str | None
    code: str | None


class ErrorAnswer(BaseModel):
    error: ErrorBody


def without_schema(value: Any) -> Any:
    # The package was generated when Open Responses declared the schema of a format as null; it is an object or null now.
    if isinstance(value, dict):
        return {k: None if k == "schema" and "strict" in value else without_schema(v) for k, v in value.items()}
    return [without_schema(item) for item in value] if isinstance(value, list) else value


open_events = [
    getattr(open_responses, name)
    for name in dir(open_responses)
    if name.endswith("StreamingEvent") and name != "ErrorStreamingEvent"
]
open_event = {TypeAdapter(e).json_schema()["properties"]["type"].get("const"): TypeAdapter(e) for e in open_events}
types: dict[str, list[Any]] = {
    "chat": [TypeAdapter(ChatCompletion)],
    "chat_chunk": [TypeAdapter(ChatCompletionChunk)],
    "response": [TypeAdapter(Response), TypeAdapter(open_responses.ResponseResource)],
    "response_event": [TypeAdapter(ResponseStreamEvent)],
    "response_items": [TypeAdapter(Items)],
    "models": [TypeAdapter(Models)],
    "model": [TypeAdapter(Model)],
    "embeddings": [TypeAdapter(CreateEmbeddingResponse)],
    "error": [TypeAdapter(ErrorAnswer)],
    "message": [TypeAdapter(Message)],
    "whole_message": [TypeAdapter(Message)],
    # Refuses members that it does not know.
    "gemini": [TypeAdapter(GenerateContentResponse)],
    "message_event": [TypeAdapter(RawMessageStreamEvent)],
}
checked, wrong = 0, {}
for answered in json.load(open("objects.json")):
    is_, value = answered["is"], answered["object"]
    # Anthropic's SDK skips pings, which its union does not have.
    if is_ == "message_event" and value["type"] == "ping":
        continue
    adapters = list(types[is_])
    if is_ == "whole_message":
        for declared, part in ((Message, value), (Usage, value["usage"])):
            for name in declared.model_fields.keys() - part.keys():
                wrong[f"{declared.__name__}.{name} is missing"] = answered["from"]
    if is_ == "response_event" and value["type"] in open_event:
        adapters.append(open_event[value["type"]])
    for adapter in adapters:
        checked += 1
        if adapter is not adapters[0]:
            value = without_schema(value)
        try:
            adapter.validate_python(value)
        except ValidationError as error:
            for each in error.errors():
                place = ".".join(str(part) for part in each["loc"])
                wrong.setdefault(f"{is_} {adapter.core_schema.get('cls', '')} {place}: {each['msg']}", answered["from"])
print(json.dumps({"checked": checked, "wrong": wrong}))
`
