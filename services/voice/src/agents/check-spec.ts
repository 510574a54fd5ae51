import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { baseLanguage, canonicalLanguage } from '@ratchet/contracts/voice/languages'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { VoiceList } from '../voices/voice-list.ts'

/** Suggestions in a message. */
const maxListed = 5

/**
 * Compares language and voice of an agent with what this installation speaks.
 *
 * @returns the language in its canonical spelling
 * @throws ServiceError `invalid_language` or `invalid_voice`, with up to five that would do
 */
export function checkSpeech(
  { language, voice }: Pick<AgentSpec, 'language' | 'voice'>,
  { languages, voices }: VoiceList,
): string {
  const canonical = canonicalLanguage(language)
  if (canonical === null || !languages.some(({ id }) => id === canonical)) {
    const near = languages.filter(({ id }) => baseLanguage(id) === baseLanguage(canonical ?? '')).map(({ id }) => id)
    const others = near.length > 0 ? near : languages.map(({ id }) => id)
    const message = `No voice speaks this language. Use for example ${listed(others)}.`
    throw new ServiceError('invalid_language', message, { param: 'language' })
  }
  const found = voices.find(({ id }) => id === voice)
  if (found?.available === true && found.languages.includes(canonical)) return canonical
  const others = voices.filter((each) => each.available && each.languages.includes(canonical)).map(({ id }) => id)
  const problem = found === undefined ? 'There is no such voice' : 'The voice does not speak this language here'
  throw new ServiceError('invalid_voice', `${problem}. Use for example ${listed(others)}.`, { param: 'voice' })
}

function listed(options: readonly string[]): string {
  return options.slice(0, maxListed).join(', ')
}

/** Variables of a system prompt, as `{{name}}`. */
const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g

/**
 * Every variable that the texts use must be declared, because a call fills in no other.
 *
 * @throws ServiceError `invalid_request` that names the first one that is not
 */
export function checkVariables(spec: Pick<AgentSpec, 'system_prompt' | 'first_message' | 'variables'>): void {
  const declared = new Set(spec.variables.map(({ name }) => name))
  for (const [param, text] of [
    ['system_prompt', spec.system_prompt],
    ['first_message', spec.first_message ?? ''],
  ] as const) {
    for (const [, name = ''] of text.matchAll(placeholder)) {
      if (declared.has(name)) continue
      throw new ServiceError(
        'invalid_request',
        `\`${param}\` uses the variable ${name}, which is not in \`variables\`.`,
        {
          param,
        },
      )
    }
  }
}
