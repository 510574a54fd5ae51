import { asList, asObject, asText, type Fields, parseJson } from '@ratchet/service-kit/values/json'
import type { Body } from './dialect.ts'

/**
 * Custom tools take a text instead of arguments. For a model without them, each is a function with that text as its only
 * argument.
 */
export function functionOfCustom({ name, description, format }: Fields): Fields {
  const { type, syntax, definition } = asObject(format) ?? {}
  const rule = type === 'grammar' ? `The input must follow this ${syntax} grammar:\n${definition}` : null
  const texts = [asText(description), rule].filter((text) => text !== null && text !== '')
  return {
    name,
    ...(texts.length === 0 ? {} : { description: texts.join('\n\n') }),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
      required: ['input'],
      additionalProperties: false,
    },
  }
}

/** The arguments of that function for an input. */
export function customArguments(input: unknown): string {
  return JSON.stringify({ input: asText(input) ?? '' })
}

/** The input in the arguments of that function, or their text when they are not what was asked for. */
export function customInput(text: string): string {
  return asText(asObject(parseJson(text))?.input) ?? text
}

/** The names of the custom tools of a request. */
export function customNames({ tools }: Body): ReadonlySet<unknown> {
  const custom = asList(tools).flatMap((tool) => (asObject(tool)?.type === 'custom' ? [asObject(tool)?.name] : []))
  return new Set(custom)
}
