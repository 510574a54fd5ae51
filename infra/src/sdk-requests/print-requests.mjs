/* Prints a request for each optional member and each variant that the types of the SDKs declare, one JSON object in a line. */

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { bodyOf } from './bodies.mjs'
import { sampleOf } from './samples.mjs'
import { createVariants } from './variants.mjs'

const declarations = `
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions/completions'
import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses'
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages/messages'
import type { MessageCreateParamsNonStreaming as BetaMessageCreateParams } from '@anthropic-ai/sdk/resources/beta/messages/messages'
export type chat = ChatCompletionCreateParamsNonStreaming
export type responses = ResponseCreateParamsNonStreaming
export type messages = MessageCreateParamsNonStreaming
export type beta = BetaMessageCreateParams
`
const file = path.join(import.meta.dirname, 'declarations.ts')
writeFileSync(file, declarations)
const program = ts.createProgram([file], {
  strict: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  skipLibCheck: true,
  noEmit: true,
})
const checker = program.getTypeChecker()
const { variants, membersOf } = createVariants(ts, { checker, sample: sampleOf })

/** What every request has, or what the test decides. */
const given = new Set(['model', 'stream'])

/** Places that were printed. A member that many objects have, such as `cache_control`, is printed once for each list. */
const printed = new Set()

function isNew(api, name, what) {
  const last = what.lastIndexOf('<')
  const inner = last > 0 ? what.slice(last) : what
  const places = [inner, what.endsWith('>') ? inner : inner.slice(inner.lastIndexOf('>') + 1)]
  const keys = new Set(places.map((place) => `${api} ${name} ${place}`))
  if ([...keys].some((key) => printed.has(key))) return false
  for (const key of keys) printed.add(key)
  return true
}

function firstOfEachType(type, name) {
  const elements = variants(type, [name], 1).map(({ value }) => (Array.isArray(value) ? value[0] : undefined))
  return new Map(elements.toReversed().map((element) => [element?.type, element]))
}

for (const statement of program.getSourceFile(file).statements.filter(ts.isTypeAliasDeclaration)) {
  const declared = statement.name.text
  const api = declared === 'beta' ? 'messages' : declared
  const members = membersOf(checker.getTypeAtLocation(statement.name))
  const typeOf = (name) => members.find((member) => member.name === name)?.type
  const items = typeOf('input') ? firstOfEachType(typeOf('input'), 'input') : new Map()
  const tools = typeOf('tools') ? firstOfEachType(typeOf('tools'), 'tools') : new Map()
  const samples = { smallestItem: (type) => items.get(type), smallestTool: (type) => tools.get(type) }
  for (const { name, type } of members.filter((member) => !given.has(member.name))) {
    for (const { value, what } of variants(type, [name], 1)) {
      if (!isNew(api, name, what)) continue
      const request =
        name === 'betas'
          ? { betas: value, body: bodyOf(api, 'max_tokens', 4096, samples) }
          : { body: bodyOf(api, name, value, samples) }
      process.stdout.write(`${JSON.stringify({ api, at: name + what, ...request })}\n`)
    }
  }
}
