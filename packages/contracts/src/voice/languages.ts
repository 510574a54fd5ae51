import { z } from 'zod'
import { mountedEndpoint } from '../endpoint.ts'

/** A language in its canonical spelling, such as `en-US` for `EN-us`; null for what is no language tag (BCP 47). */
export function canonicalLanguage(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}

/** The language of a tag without its region, in lower case: `en` of `en-US`. */
export function baseLanguage(tag: string): string {
  return tag.split('-')[0]?.toLowerCase() ?? ''
}

export const VoiceLanguage = z.object({
  object: z.literal('language'),
  id: z.string().describe('BCP 47, such as `en-US`.'),
  name: z.string().describe('In English.'),
})

export const listVoiceLanguages = mountedEndpoint({
  method: 'get',
  path: '/v1/languages',
  summary: 'List the languages of agents.',
  description: 'A language is listed when at least one voice speaks it. An agent with another one is refused.',
  permission: 'any',
  reply: z.object({ object: z.literal('list'), data: z.array(VoiceLanguage) }),
})

export const Voice = z.object({
  object: z.literal('voice'),
  id: z.string().describe('`<provider>/<name>`.'),
  provider: z.string(),
  name: z.string(),
  languages: z.array(z.string()),
  gender: z.enum(['female', 'male', 'neutral']),
  usd_per_1000_characters: z.number().min(0),
  available: z.boolean().describe('Whether this installation can speak with it at the moment.'),
})
export type Voice = z.infer<typeof Voice>

export const listVoices = mountedEndpoint({
  method: 'get',
  path: '/v1/voices',
  summary: 'List the voices of agents.',
  description: 'Agents are validated against this list.',
  permission: 'any',
  query: z.strictObject({
    language: z.string().max(100).optional().describe('Only voices that speak it.'),
    provider: z.string().max(100).optional(),
    gender: Voice.shape.gender.optional(),
  }),
  reply: z.object({ object: z.literal('list'), data: z.array(Voice) }),
})
