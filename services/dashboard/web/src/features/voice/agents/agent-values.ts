import { type Agent, AgentSpec, CreateAgent } from '@ratchet/contracts/voice/agents'
import { z } from 'zod'

/** An agent as its form has it: every setting, also those that the form does not show. Texts that are not set are empty. */
export type AgentValues = Omit<AgentSpec, 'first_message' | 'consent_text' | 'temperature'> & {
  first_message: string
  consent_text: string
  temperature: number | ''
}

/** A new agent. `voice` and `language` are the first ones of the installation. */
export const newAgentValues: AgentValues = valuesOf(
  CreateAgent.parse({ name: '-', system_prompt: '-', language: '-', voice: '-', model: '-' }),
  { name: '', system_prompt: '', language: '', voice: '', model: '' },
)

/** An agent as it is. */
export function agentValues(agent: Agent): AgentValues {
  return valuesOf(AgentSpec.parse(agent))
}

function valuesOf(spec: AgentSpec, changed: Partial<AgentSpec> = {}): AgentValues {
  const all = { ...spec, ...changed }
  return {
    ...all,
    first_message: all.first_message ?? '',
    consent_text: all.consent_text ?? '',
    temperature: all.temperature ?? '',
  }
}

/** What the form checks and sends: empty texts and numbers are not set. */
export const AgentForm = z.preprocess((values) => withoutBlanks(values as AgentValues), CreateAgent)

const blank = ['first_message', 'consent_text', 'temperature'] as const

function withoutBlanks(values: AgentValues): object {
  const unset = blank.filter((name) => values[name] === '').map((name) => [name, null])
  return { ...values, ...Object.fromEntries(unset) }
}

/** What differs from the agent as it is; null: nothing does. */
export function agentChanges(agent: Agent, values: AgentValues): Partial<AgentSpec> | null {
  const before = AgentSpec.parse(agent)
  const after = AgentForm.parse(values)
  const names = Object.keys(after) as (keyof AgentSpec)[]
  const changed = names.filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
  return changed.length === 0 ? null : Object.fromEntries(changed.map((name) => [name, after[name]]))
}

export const recordingChoices = ['off', 'silent', 'announced', 'asked'] as const
export type RecordingChoice = (typeof recordingChoices)[number]

const consents = { none: 'silent', announce: 'announced', ask: 'asked' } as const

/** Two settings that belong together, as one choice. */
export function recordingOf({
  recording_enabled: isOn,
  recording_consent: consent,
}: Pick<AgentValues, 'recording_enabled' | 'recording_consent'>): RecordingChoice {
  if (!isOn) return 'off'
  return consents[consent]
}

export function recordingSettings(
  choice: RecordingChoice,
): Pick<AgentValues, 'recording_enabled' | 'recording_consent'> {
  const consent = Object.entries(consents).find(([, words]) => words === choice)?.[0] ?? 'none'
  return { recording_enabled: choice !== 'off', recording_consent: consent as AgentValues['recording_consent'] }
}

export const mailboxChoices = ['talk', 'hangup', 'message'] as const
export type MailboxChoice = (typeof mailboxChoices)[number]

/** What the agent does when a mailbox answers, as one choice. */
export function mailboxOf({ detect, action }: AgentValues['voicemail']): MailboxChoice {
  return detect ? action : 'talk'
}

/** Its message stays, so that it is there again when the choice is taken back. */
export function mailboxSettings(choice: MailboxChoice, before: AgentValues['voicemail']): AgentValues['voicemail'] {
  if (choice === 'message') return { detect: true, action: 'message', message: before.message ?? '' }
  return { detect: choice !== 'talk', action: 'hangup', message: before.message === '' ? null : before.message }
}

/** The variables with these names: those that there are as they are, and new ones that no call must state. */
export function variablesNamed(names: readonly string[], before: AgentValues['variables']): AgentValues['variables'] {
  return names.map(
    (name) => before.find((each) => each.name === name) ?? { name, default: null, required: false, secret: false },
  )
}
