import { z } from 'zod'
import { mountedEndpoint } from '../endpoint.ts'
import { listOf } from '../list-of.ts'
import { pageLimit, pageOf, pageOffset } from '../page.ts'
import { E164 } from './agent-fields.ts'
import { numberProviders } from './number-providers.ts'

/** Whether calls come from the number, go to it, or both. */
export const numberDirections = ['inbound', 'outbound', 'both'] as const
export type NumberDirection = (typeof numberDirections)[number]

const sip = {
  termination_uri: z
    .string()
    .max(255)
    .regex(
      /^sip:(?:[A-Za-z0-9][A-Za-z0-9.-]{0,250}|\[[0-9A-Fa-f:]{2,45}\])(?::\d{1,5})?$/,
      'This must be a SIP address without a user, such as sip:trunk.example.com:5060.',
    )
    .describe('Where calls of the number go. Its host is resolved once, when it is stated.'),
  transport: z.enum(['udp', 'tcp']),
  allowed_ips: listOf(
    z.string().regex(/^[0-9A-Fa-f.:]{2,45}(?:\/\d{1,3})?$/, 'This must be an IP address or a network.'),
  )
    .min(1)
    .max(32)
    .describe('Addresses and networks from which calls and audio of the trunk come. Others have no answer.'),
}
const username = z.string().regex(/^[\x21-\x7e]{1,100}$/, 'This must be visible ASCII.')
const password = z.string().regex(/^[\x20-\x7e]{1,200}$/, 'This must be visible ASCII.')

const secret = z.string().regex(/^[\x21-\x7e]{8,200}$/, 'This must be 8 to 200 characters of visible ASCII.')
const carrierId = (what: string) =>
  z.string().regex(/^[A-Za-z0-9:_-]{8,100}$/, `This must be ${what}, as the carrier shows it.`)
const carriers = {
  twilio: { account_sid: z.string().regex(/^AC[0-9a-f]{32}$/, 'This must be AC and 32 hexadecimal digits.') },
  telnyx: {
    account_sid: carrierId('the id of the account'),
    application_sid: carrierId('the id of a TeXML application'),
    public_key: z
      .string()
      .regex(/^[A-Za-z0-9+/]{43}=$/, 'This must be 32 bytes in base64.')
      .describe('With which the carrier signs its requests.'),
  },
}
const secrets = {
  twilio: { auth_token: secret.describe('Sealed. The carrier signs its requests with it.') },
  telnyx: { api_key: secret.describe('Sealed.') },
}
/** What has to be entered at the carrier. */
const webhooks = {
  voice_url: z.string().describe('Where the carrier asks what to do with a call of the number (POST).'),
}

const fields = {
  agent_id: z.string().max(100).nullable().describe('The agent that answers calls to the number.'),
  direction: z.enum(numberDirections),
  allowed_countries: listOf(z.string().regex(/^[A-Z]{2}$/, 'This must be a country such as DE (ISO 3166-1).'))
    .max(250)
    .describe('Countries that the number may call. Numbers of premium, shared-cost and satellite ranges never may be.'),
  fallback_number: E164.nullable().describe(
    'Where the trunk is asked to send an incoming call that no worker answers within three seconds (302), such as to people.',
  ),
  max_calls_per_second: z.int().min(1).max(100).describe('Further calls wait.'),
  max_concurrent: z.int().min(1).max(1_000).describe('Outgoing calls wait, incoming ones are refused as busy.'),
  daily_spend_usd: z
    .number()
    .min(0)
    .max(100_000)
    .describe('When calls of the number have cost this much on a day (UTC), no new one begins.'),
}

const newNumber = z.strictObject({
  e164: E164,
  provider: z.enum(numberProviders),
  sip: z
    .strictObject({
      termination_uri: sip.termination_uri,
      transport: sip.transport.default('udp'),
      auth: z.strictObject({ username, password }).nullable().default(null).describe('The password is sealed.'),
      allowed_ips: sip.allowed_ips,
    })
    .optional()
    .describe('The trunk, of the provider `sip`.'),
  twilio: z.strictObject({ ...carriers.twilio, ...secrets.twilio }).optional(),
  telnyx: z.strictObject({ ...carriers.telnyx, ...secrets.telnyx }).optional(),
  agent_id: fields.agent_id.default(null),
  direction: fields.direction.default('both'),
  allowed_countries: fields.allowed_countries.optional().describe('Without it: the country of the number.'),
  fallback_number: fields.fallback_number.default(null),
  max_calls_per_second: fields.max_calls_per_second.default(1),
  max_concurrent: fields.max_concurrent.default(10),
  daily_spend_usd: fields.daily_spend_usd.default(50),
})
/** With the part of its provider, and no other. */
export const CreateNumber = newNumber.superRefine((number, context) => {
  for (const name of numberProviders) {
    if ((number[name] !== undefined) === (name === number.provider)) continue
    const message = name === number.provider ? 'The provider needs it.' : 'This is of another provider.'
    context.addIssue({ code: 'custom', path: [name], message })
  }
})
export type CreateNumber = z.output<typeof CreateNumber>
export type NewTrunk = NonNullable<CreateNumber['sip']>

export const UpdateNumber = z
  .strictObject({
    ...fields,
    sip: z
      .strictObject({
        termination_uri: sip.termination_uri,
        transport: sip.transport,
        auth: z.strictObject({ username, password }).nullable().describe('Null: the trunk knows us by our address.'),
        allowed_ips: sip.allowed_ips,
      })
      .partial(),
    twilio: z.strictObject({ ...carriers.twilio, ...secrets.twilio }).describe('All of it is replaced.'),
    telnyx: z.strictObject({ ...carriers.telnyx, ...secrets.telnyx }).describe('All of it is replaced.'),
  })
  .partial()
export type UpdateNumber = z.output<typeof UpdateNumber>

export const VoiceNumber = z.object({
  object: z.literal('number'),
  id: z.string(),
  e164: z.string(),
  provider: z.enum(numberProviders),
  ...fields,
  twilio: z.object({ ...carriers.twilio, ...webhooks }).nullable(),
  telnyx: z.object({ ...carriers.telnyx, ...webhooks }).nullable(),
  sip: z
    .object({
      ...sip,
      username: z.string().nullable().describe('With which calls are authorized; null: by our address.'),
      inbound_uri: z
        .string()
        .describe(
          'Where the trunk sends calls. Also the number itself may be its user, unless another workspace has it.',
        ),
    })
    .nullable(),
  version: z.int().min(1).describe('Raised by each change; `If-Match` compares it.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type VoiceNumber = z.infer<typeof VoiceNumber>

const ofNumber = z.strictObject({ id: z.string().max(100) })

export const createNumber = mountedEndpoint({
  method: 'post',
  path: '/v1/numbers',
  summary: 'Add a telephone number.',
  description:
    'Of a trunk or an account at a carrier that the workspace has; a carrier is asked whether the account has the number. A number that the workspace has already is refused with 409, and those of trunks are with 403 where telephones are off. `Idempotency-Key` is honoured for 24 hours.',
  permission: 'owner_admin',
  body: CreateNumber,
  reply: VoiceNumber,
  status: 201,
  errors: ['not_found', 'conflict', 'insufficient_permissions', 'idempotency_conflict'],
  requestHeaders: ['Idempotency-Key'],
})

export const listNumbers = mountedEndpoint({
  method: 'get',
  path: '/v1/numbers',
  summary: 'List telephone numbers.',
  description: 'The newest first.',
  permission: 'any',
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(VoiceNumber),
})

export const getNumber = mountedEndpoint({
  method: 'get',
  path: '/v1/numbers/:id',
  summary: 'Get a telephone number.',
  description: 'Without the password of its trunk.',
  permission: 'any',
  params: ofNumber,
  reply: VoiceNumber,
  errors: ['not_found'],
})

export const updateNumber = mountedEndpoint({
  method: 'patch',
  path: '/v1/numbers/:id',
  summary: 'Change a telephone number.',
  description:
    'Calls under way keep their settings. `sip.auth` must be stated again when `sip.termination_uri` changes. With `If-Match: <version>`, only when that is the present one.',
  permission: 'owner_admin',
  params: ofNumber,
  body: UpdateNumber,
  reply: VoiceNumber,
  errors: ['not_found', 'conflict', 'version_conflict', 'insufficient_permissions'],
  requestHeaders: ['If-Match'],
})

export const deleteNumber = mountedEndpoint({
  method: 'delete',
  path: '/v1/numbers/:id',
  summary: 'Remove a telephone number.',
  description: 'Calls that have ended stay. Refused while calls wait or are under way.',
  permission: 'owner_admin',
  params: ofNumber,
  reply: z.object({ object: z.literal('number'), id: z.string(), deleted: z.literal(true) }),
  errors: ['not_found', 'conflict'],
})

export const NumberCheck = z.object({
  object: z.literal('number.check'),
  ok: z.boolean(),
  answered_ms: z
    .int()
    .min(0)
    .nullable()
    .describe('Until the trunk (OPTIONS) or the carrier answered; null: it did not, or does not have the number.'),
  checked_at: z.iso.datetime(),
})
export type NumberCheck = z.infer<typeof NumberCheck>

export const checkNumber = mountedEndpoint({
  method: 'post',
  path: '/v1/numbers/:id/check',
  summary: 'Ask the trunk or the carrier of a number whether it answers.',
  description: 'It costs nothing. 503 when no worker can ask at the moment.',
  permission: 'owner_admin',
  params: ofNumber,
  reply: NumberCheck,
  errors: ['not_found', 'service_unavailable'],
})
