import { answerKey, drawsFrom } from '../fingerprint.ts'
import type { ChatRequest } from '../wire/chat-request.ts'
import type { Call } from '../wire/reply.ts'
import { assist } from './assist.ts'
import { callsTool, callTools } from './call-tools.ts'
import type { ChatChoice } from './chat-choice.ts'
import { fitSchema } from './fit-schema.ts'
import { judge } from './judge.ts'
import { promptedJson } from './prompted-json.ts'
import { countTokens, firstTokens } from './tokenize.ts'
import { writeAnswerText, writeLongText } from './write-answer-text.ts'

/** Answers a chat request as the model of the call. The same call always gives the same choices. */
export function answerChat(call: Call, request: ChatRequest): readonly ChatChoice[] {
  if (call.model.task === 'echo')
    return Array.from({ length: request.choices }, () => finish(lastUserText(request), request))
  const key = `${answerKey(call.seed, call.body)}\n`
  return Array.from({ length: request.choices }, (_, index) => answerOnce(call, request, drawsFrom(key + index)))
}

function answerOnce(call: Call, request: ChatRequest, random: () => number): ChatChoice {
  // The first random number decides whether the answer is flawed; later ones decide its words.
  const flawed = random() < call.model.flawedShare
  if (callsTool(call.model, request)) return callTools(request, random)
  return finish(writeContent({ call, request, random, flawed }), request)
}

function writeContent(options: { call: Call; request: ChatRequest; random: () => number; flawed: boolean }): string {
  const { call, request, random, flawed } = options
  const { task, sentences } = call.model
  if (task === 'long') return writeLongText(request.askedTokens ?? 200)
  if (task === 'judge') return assist(request) ?? judge(call, request)
  if (task === 'judge-broken') return judge(call, request)
  const text = writeAnswerText({ question: subjectOf(request), flawed, sentences, random })
  if (request.format.kind === 'json_schema') return JSON.stringify(fitSchema(request.format.schema, text, 'word'))
  const prompted = promptedJson(request, text)
  if (prompted !== null) return prompted
  return request.format.kind === 'json_object' ? JSON.stringify({ answer: text }) : text
}

/** The subject of the answer: the last user message, and the tool results after it. */
function subjectOf(request: ChatRequest): string {
  const results = request.messages.filter((message) => message.role === 'tool').map((message) => message.text)
  return [...results.slice(-3), lastUserText(request)].join('\n')
}

function lastUserText(request: ChatRequest): string {
  return request.messages.findLast((message) => message.role === 'user')?.text ?? ''
}

/** Applies the stop sequences, then the token limit, like a model that generates from left to right. */
function finish(text: string, request: ChatRequest): ChatChoice {
  const stopped = beforeStop(text, request.stops)
  const content = firstTokens(stopped, request.maxTokens)
  const finishReason = content.length < stopped.length ? 'length' : 'stop'
  return { content, toolCalls: [], finishReason, tokens: countTokens(content) }
}

function beforeStop(text: string, stops: readonly string[]): string {
  const places = stops.map((stop) => (stop === '' ? -1 : text.indexOf(stop))).filter((place) => place >= 0)
  return places.length === 0 ? text : text.slice(0, Math.min(...places))
}
