import { z } from 'zod'
import { Role } from '../identity.ts'
import { recordOf } from '../list-of.ts'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { Done, EmailAddress, listReplyOf, Password, PersonName, SentLink, Slug } from './values.ts'

export const MyWorkspace = z.object({
  slug: z.string(),
  name: z.string(),
  role: Role,
  may_grade: z.boolean().describe('By role, or by a right of their own.'),
})
export type MyWorkspace = z.infer<typeof MyWorkspace>

export const Me = z.object({
  object: z.literal('me'),
  user: z.object({ id: z.uuid(), email: z.string(), name: z.string(), operator: z.boolean() }).nullable(),
  session: z
    .object({
      id: z.uuid(),
      fresh_until: z.iso.datetime().describe('Until then, keys, money and roles may be changed.'),
      expires_at: z.iso.datetime(),
    })
    .nullable(),
  workspaces: z.array(MyWorkspace),
  sign_in: z.object({
    password: z.literal(true),
    passkey: z.literal(true),
    oidc: z.array(z.object({ id: z.string(), name: z.string() })).describe('Other ways to sign in.'),
  }),
  key_prefix: z.string(),
  brand_word: z.string(),
})
export type Me = z.infer<typeof Me>

export const readMe = dashboardEndpoint({
  method: 'get',
  path: '/api/me',
  summary: 'Who is signed in. Without a session, only the ways to sign in.',
  permission: 'anyone',
  reply: Me,
})

export const changeMe = dashboardEndpoint({
  method: 'patch',
  path: '/api/me',
  summary: 'Change the name of the user. Owners of the workspaces of the user read both names in the audit.',
  permission: 'user',
  maxBodyBytes: 4_096,
  body: z.strictObject({ name: PersonName }),
  reply: Done,
})

export const SetUp = z.strictObject({
  token: z.string().max(100),
  email: EmailAddress,
  name: PersonName,
  password: Password,
  workspace: z.strictObject({ slug: Slug, name: PersonName }),
})

export const setUp = dashboardEndpoint({
  method: 'post',
  path: '/api/setup',
  summary: 'Create the first owner and a workspace with the token of a set-up link. Signs in.',
  permission: 'anyone',
  maxBodyBytes: 4_096,
  status: 201,
  body: SetUp,
  reply: z.object({ object: z.literal('setup'), workspace: z.object({ slug: z.string(), name: z.string() }) }),
  errors: ['not_found', 'conflict', 'rate_limit_exceeded'],
})

export const createWorkspace = dashboardEndpoint({
  method: 'post',
  path: '/api/workspaces',
  summary:
    'Create a workspace. Its owner is the operator, or the person with an address; where nobody has it yet, an account is created, with a link for its password.',
  permission: 'operator',
  needsFreshSignIn: true,
  status: 201,
  body: z.strictObject({
    slug: Slug,
    name: PersonName,
    owner_email: EmailAddress.describe('Of its owner; by default the operator who creates it.').optional(),
  }),
  reply: z.object({
    object: z.literal('workspace'),
    slug: z.string(),
    name: z.string(),
    owner_link: z
      .object(SentLink.shape)
      .nullable()
      .describe('With which an owner who had no account chooses a password; null for others.'),
  }),
  errors: ['conflict'],
})

/** Shortcuts and theme of a person, on every device. */
export const Preferences = z.strictObject({
  theme: z.enum(['light', 'dark', 'auto']).default('auto'),
  single_keys: z.boolean().default(true).describe('Whether single letters are shortcuts.'),
  shortcuts: recordOf(z.string().max(60), z.string().max(40)).default({}).describe('Keys by action, where changed.'),
})
export type Preferences = z.infer<typeof Preferences>

export const readPreferences = dashboardEndpoint({
  method: 'get',
  path: '/api/preferences',
  summary: 'Read the preferences of the user.',
  permission: 'user',
  reply: Preferences,
})

export const writePreferences = dashboardEndpoint({
  method: 'put',
  path: '/api/preferences',
  summary: 'Replace the preferences of the user.',
  permission: 'user',
  maxBodyBytes: 65_536,
  body: Preferences,
  reply: Preferences,
})

export const MySession = z.object({
  id: z.uuid(),
  current: z.boolean(),
  user_agent: z.string().nullable(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
})

export const listMySessions = dashboardEndpoint({
  method: 'get',
  path: '/api/sessions',
  summary: 'List where the user is signed in.',
  permission: 'user',
  reply: listReplyOf(MySession),
})

export const endMySession = dashboardEndpoint({
  method: 'delete',
  path: '/api/sessions/:id',
  summary: 'Sign out somewhere else.',
  permission: 'user',
  params: z.strictObject({ id: z.uuid() }),
  reply: Done,
  errors: ['not_found'],
})
