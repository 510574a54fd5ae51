import { z } from 'zod'
import { listOf } from '../list-of.ts'
import { storable } from '../storable.ts'

/** A name of the caller's choice in templates, tools and transfers. */
const identifier = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

const text = (max: number) => storable(z.string().min(1).max(max))

/** A telephone number as ITU-T E.164 writes it. */
export const E164 = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, 'This must be a telephone number such as +493012345678 (E.164).')

const SipUri = z
  .string()
  .max(255)
  .regex(
    /^sips?:[^\s@;<>]{1,100}@[A-Za-z0-9.[\]:-]{1,150}$/,
    'This must be a SIP address such as sip:desk@example.com.',
  )

export const AgentVariable = z.strictObject({
  name: z.string().regex(identifier, 'This must be 1 to 64 letters, digits and underscores, and begin with no digit.'),
  default: storable(z.string().max(1_000)).nullable().default(null),
  required: z.boolean().default(false).describe('Whether a call must state it.'),
  secret: z.boolean().default(false).describe('Never stored with a call.'),
})

const Metadata = z
  .record(z.string().max(64), z.unknown())
  .refine((value) => JSON.stringify(value).length <= 16_384, 'This may have at most 16 KB.')

/** Every field of an agent that makes a version, with its rule. */
export const agentFields = {
  name: text(80),
  system_prompt: text(32_000).describe('`{{variable}}` stands for a variable of the call.'),
  language: z.string().min(1).max(100).describe('BCP 47; see `GET /v1/languages`.'),
  voice: z.string().min(1).max(200).describe('`<provider>/<name>`; see `GET /v1/voices`. It must speak the language.'),
  first_message: text(2_000).nullable(),
  first_message_mode: z.enum(['agent_speaks', 'caller_speaks']),
  model: z.string().min(1).max(200).describe('A model of the gateway, an alias or a dedicated endpoint.'),
  temperature: z.number().min(0).max(2).nullable(),
  max_response_tokens: z.int().min(1).max(1_000),
  variables: listOf(AgentVariable).max(50).refine(hasUniqueNames, 'Each name may be used once.'),
  tool_ids: listOf(z.string().max(100)).max(32).refine(isUnique, 'Each tool may be named once.'),
  stt: z.strictObject({
    provider: z.string().max(100).nullable().default(null).describe('Null: the one of the installation.'),
    model: z.string().max(100).nullable().default(null),
    keywords: listOf(text(100)).max(100).default([]),
  }),
  speech: z.strictObject({
    speed: z.number().min(0.7).max(1.3).default(1),
    volume: z.number().min(0).max(2).default(1),
  }),
  turn_taking: z
    .strictObject({
      detector: z
        .enum(['vad'])
        .default('vad')
        .describe('What decides that the caller has finished: silence, and how the text ends.'),
      min_endpoint_ms: z.int().min(100).max(2_000).default(300),
      max_endpoint_ms: z.int().min(500).max(10_000).default(2_000),
      backchannels: listOf(text(40)).max(50).default([]).describe('Words that only show that the caller listens.'),
      first_message_interruptible: z.boolean().default(true),
    })
    .refine((turn) => turn.min_endpoint_ms <= turn.max_endpoint_ms, {
      message: 'This must not be greater than `max_endpoint_ms`.',
      path: ['min_endpoint_ms'],
    }),
  interruption_sensitivity: z.number().min(0).max(1).describe('0: the caller never interrupts the agent.'),
  silence_timeout_seconds: z.int().min(10).max(600),
  reminders: listOf(text(300)).max(2).describe('Said to a caller who is silent.'),
  max_duration_seconds: z.int().min(30).max(7_200),
  voicemail: z
    .strictObject({
      detect: z.boolean().default(false),
      action: z.enum(['hangup', 'message']).default('hangup'),
      message: text(1_000).nullable().default(null),
    })
    .refine(({ action, message }) => action === 'hangup' || message !== null, {
      message: 'This is required with `action: "message"`.',
      path: ['message'],
    }),
  dtmf: z.strictObject({
    enabled: z.boolean().default(false),
    finish_on: z
      .string()
      .regex(/^[0-9*#]$/, 'This must be a key of a telephone.')
      .nullable()
      .default('#'),
    timeout_ms: z.int().min(500).max(20_000).default(3_000),
    secret: z.boolean().default(false).describe('Whether keys are stored nowhere.'),
    can_send: z
      .boolean()
      .default(false)
      .describe('Whether the model may press keys, by the tool `send_dtmf`. Only in calls of telephones.'),
  }),
  transfers: listOf(
    z.strictObject({
      name: z.string().regex(identifier, 'This must be 1 to 64 letters, digits and underscores.'),
      to: z.union([E164, SipUri]),
      description: text(500),
    }),
  )
    .max(16)
    .refine(hasUniqueNames, 'Each name may be used once.'),
  end_call: z.boolean().describe('Whether the agent may end the call.'),
  recording_enabled: z.boolean(),
  recording_consent: z.enum(['none', 'announce', 'ask']).describe('`ask`: nothing is stored before a yes.'),
  consent_text: text(1_000).nullable(),
  ai_disclosure: z.boolean().describe('Whether the first message says that the voice is artificial.'),
  privacy: z.strictObject({
    redact_transcript: z.boolean().default(true),
    retention_days: z.int().min(1).max(90).default(30),
  }),
  webhook_url: z.url().max(500).nullable().describe('https, and a public address.'),
  criterion_ids: listOf(z.string().max(100)).max(16).describe('Judges of whole calls.'),
  metadata: Metadata,
}

function isUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length
}

function hasUniqueNames(values: readonly { readonly name: string }[]): boolean {
  return isUnique(values.map(({ name }) => name))
}
