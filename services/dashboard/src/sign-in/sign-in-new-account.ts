import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AuthHandler, callAuth } from './call-auth.ts'

export interface NewSignIn {
  readonly request: Pick<IncomingMessage, 'headers' | 'socket'>
  readonly response: Pick<ServerResponse, 'appendHeader'>
  readonly email: string
  readonly password: string
}

/** Signs in the person whose account was created by the same request. */
export async function signInNewAccount(
  auth: AuthHandler & { readonly origin: string },
  { request, response, email, password }: NewSignIn,
): Promise<void> {
  const call = { method: 'POST', path: '/api/auth/sign-in/email', body: { email, password } } as const
  const { status, setCookies } = await callAuth(auth, request, call)
  if (status !== 200) throw new Error(`a new account could not sign in: status ${status}`)
  for (const cookie of setCookies) response.appendHeader('set-cookie', cookie)
}
