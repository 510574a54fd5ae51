import { z } from 'zod'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { Done, listReplyOf, Password } from './values.ts'

const SignedIn = z.object({ object: z.literal('signed_in'), redirect_to: z.string().nullable() })
const SomePassword = z.string().min(1).max(128)

/** Every failure has the same answer, whether the address is known or not. */
export const signInWithPassword = dashboardEndpoint({
  method: 'post',
  path: '/api/auth/sign-in/email',
  summary: 'Sign in with e-mail address and password. Signing in again makes the session fresh.',
  permission: 'anyone',
  maxBodyBytes: 4_096,
  body: z.strictObject({ email: z.string().trim().toLowerCase().min(1).max(254), password: SomePassword }),
  reply: SignedIn,
  errors: ['sign_in_failed', 'rate_limit_exceeded'],
})

/** The browser goes to the address of the answer, and returns to `return_to`. */
export const signInWithProvider = dashboardEndpoint({
  method: 'post',
  path: '/api/auth/sign-in/social',
  summary: 'Begin to sign in at a provider of identities. The reply has the address to go to.',
  permission: 'anyone',
  maxBodyBytes: 4_096,
  body: z.strictObject({
    provider: z.string().max(60),
    return_to: z
      .string()
      .max(500)
      .regex(/^\/(?![/\\])/)
      .default('/'),
  }),
  reply: SignedIn,
  errors: ['sign_in_failed', 'rate_limit_exceeded'],
})

export const signOut = dashboardEndpoint({
  method: 'post',
  path: '/api/auth/sign-out',
  summary: 'Sign out here.',
  permission: 'anyone',
  maxBodyBytes: 4_096,
  reply: Done,
})

export const changePassword = dashboardEndpoint({
  method: 'post',
  path: '/api/auth/change-password',
  summary: 'Change the password, and sign out everywhere else.',
  permission: 'user',
  needsFreshSignIn: true,
  maxBodyBytes: 4_096,
  body: z.strictObject({ current_password: SomePassword, new_password: Password }),
  reply: Done,
  errors: ['sign_in_failed', 'rate_limit_exceeded'],
})

export const resetPassword = dashboardEndpoint({
  method: 'post',
  path: '/api/auth/reset-password',
  summary: 'Choose a password with the token of a link, and sign out everywhere.',
  permission: 'anyone',
  maxBodyBytes: 4_096,
  body: z.strictObject({ token: z.string().min(1).max(100), new_password: Password }),
  reply: Done,
  errors: ['not_found', 'rate_limit_exceeded'],
})

/** Options and answers of WebAuthn, which the browser's own functions read and write. */
const WebAuthn = z.looseObject({})

export const readPasskeySignInOptions = dashboardEndpoint({
  method: 'get',
  path: '/api/auth/passkey/generate-authenticate-options',
  summary: 'Begin to sign in with a passkey.',
  permission: 'anyone',
  reply: WebAuthn,
})

export const signInWithPasskey = dashboardEndpoint({
  method: 'post',
  path: '/api/auth/passkey/verify-authentication',
  summary: 'Sign in with a passkey.',
  permission: 'anyone',
  maxBodyBytes: 16_384,
  body: z.strictObject({ response: WebAuthn }),
  reply: SignedIn,
  errors: ['sign_in_failed', 'rate_limit_exceeded'],
})

export const readPasskeyOptions = dashboardEndpoint({
  method: 'get',
  path: '/api/auth/passkey/generate-register-options',
  summary: 'Begin to add a passkey.',
  permission: 'user',
  needsFreshSignIn: true,
  reply: WebAuthn,
})

export const addPasskey = dashboardEndpoint({
  method: 'post',
  path: '/api/auth/passkey/verify-registration',
  summary: 'Add a passkey.',
  permission: 'user',
  needsFreshSignIn: true,
  maxBodyBytes: 65_536,
  body: z.strictObject({ response: WebAuthn, name: z.string().max(100).optional() }),
  reply: Done,
})

export const Passkey = z.object({ id: z.uuid(), name: z.string().nullable(), created_at: z.iso.datetime().nullable() })

export const listPasskeys = dashboardEndpoint({
  method: 'get',
  path: '/api/passkeys',
  summary: 'List the passkeys of the user.',
  permission: 'user',
  reply: listReplyOf(Passkey),
})

export const removePasskey = dashboardEndpoint({
  method: 'delete',
  path: '/api/passkeys/:id',
  summary: 'Remove a passkey.',
  permission: 'user',
  needsFreshSignIn: true,
  params: z.strictObject({ id: z.uuid() }),
  reply: Done,
  errors: ['not_found'],
})
