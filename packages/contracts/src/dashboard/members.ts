import { z } from 'zod'
import { Role } from '../identity.ts'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import {
  Done,
  EmailAddress,
  listReplyOf,
  Password,
  PersonName,
  SentLink,
  Slug,
  WorkspaceItemParams,
  WorkspaceParams,
} from './values.ts'

export const Member = z.object({
  user_id: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: Role,
  may_grade: z.boolean().describe('A right of their own; owners and admins may grade in any case.'),
  joined_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime().nullable().describe('When a session of theirs last signed in or was prolonged.'),
  active_keys: z.int().describe('Number of their keys that change with their role.'),
})
export type Member = z.infer<typeof Member>

export const listMembers = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/members',
  summary: 'List the members of a workspace.',
  permission: 'any',
  params: WorkspaceParams,
  reply: listReplyOf(Member),
})

const memberParams = z.strictObject({ slug: Slug, user_id: z.uuid() })

export const changeMember = dashboardEndpoint({
  method: 'patch',
  path: '/api/w/:slug/members/:user_id',
  summary: 'Change the role of a member, or whether they may grade. Their keys change with the role.',
  permission: 'owner',
  needsFreshSignIn: true,
  params: memberParams,
  body: z.strictObject({ role: Role, may_grade: z.boolean() }).partial(),
  reply: Member,
  errors: ['not_found', 'conflict', 'service_unavailable'],
})

export const removeMember = dashboardEndpoint({
  method: 'delete',
  path: '/api/w/:slug/members/:user_id',
  summary: 'Remove a member. Their keys and open pages end with the answer.',
  permission: 'owner',
  needsFreshSignIn: true,
  params: memberParams,
  reply: Done,
  errors: ['not_found', 'conflict', 'service_unavailable'],
})

export const leaveWorkspace = dashboardEndpoint({
  method: 'post',
  path: '/api/w/:slug/leave',
  summary: 'Leave a workspace. The last owner cannot.',
  permission: 'any',
  needsFreshSignIn: true,
  params: WorkspaceParams,
  reply: Done,
  errors: ['conflict', 'service_unavailable'],
})

export const Invitation = z.object({
  id: z.uuid(),
  email: z.string(),
  role: Role,
  may_grade: z.boolean(),
  invited_by: z.string().nullable().describe('Name of the user.'),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
})
export type Invitation = z.infer<typeof Invitation>

export const listInvitations = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/invitations',
  summary: 'List invitations that nobody accepted yet.',
  permission: 'owner',
  params: WorkspaceParams,
  reply: listReplyOf(Invitation),
})

export const createInvitation = dashboardEndpoint({
  method: 'post',
  path: '/api/w/:slug/invitations',
  summary:
    'Invite a person. The link is mailed; where that is not possible, the reply alone has it. It is valid once and for 7 days.',
  permission: 'owner',
  needsFreshSignIn: true,
  status: 201,
  params: WorkspaceParams,
  body: z.strictObject({ email: EmailAddress, role: Role, may_grade: z.boolean().default(false) }),
  reply: Invitation.extend(SentLink.shape),
  errors: ['conflict', 'quota_exceeded', 'rate_limit_exceeded'],
})

export const withdrawInvitation = dashboardEndpoint({
  method: 'delete',
  path: '/api/w/:slug/invitations/:id',
  summary: 'Withdraw an invitation.',
  permission: 'owner',
  params: WorkspaceItemParams,
  reply: Done,
  errors: ['not_found'],
})

const token = z.string().max(100)

export const readInvitation = dashboardEndpoint({
  method: 'post',
  path: '/api/invite',
  summary: 'Read an invitation by its token, before it is accepted.',
  permission: 'anyone',
  maxBodyBytes: 4_096,
  body: z.strictObject({ token }),
  reply: z.object({
    object: z.literal('invitation'),
    email: z.string(),
    workspace: z.string().describe('Name of the workspace.'),
    expires_at: z.iso.datetime(),
  }),
  errors: ['not_found', 'rate_limit_exceeded'],
})

export const acceptInvitation = dashboardEndpoint({
  method: 'post',
  path: '/api/invite/accept',
  summary:
    'Accept an invitation: signed in with its address, or with a name and a password for a new account. Signs in. An address that has an account must be signed in.',
  permission: 'anyone',
  maxBodyBytes: 4_096,
  body: z.strictObject({ token, name: PersonName.optional(), password: Password.optional() }),
  reply: z.object({ object: z.literal('membership'), slug: z.string(), role: Role }),
  errors: ['not_found', 'conflict', 'rate_limit_exceeded', 'service_unavailable'],
})
