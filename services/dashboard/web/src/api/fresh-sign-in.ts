import { ApiError } from './api-error.ts'

/** Shows the dialog in which a person signs in again; resolves with whether they did. */
type AskToSignIn = () => Promise<boolean>

let askToSignIn: AskToSignIn = async () => false

/** Called by the dialog when it is on the page. */
export function onFreshSignInRequired(ask: AskToSignIn): () => void {
  askToSignIn = ask
  return () => {
    askToSignIn = async () => false
  }
}

/** Runs an action; when it requires a fresh sign-in, asks for one and runs it once more. */
export async function withFreshSignIn<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'fresh_sign_in_required') throw error
    if (!(await askToSignIn())) throw error
    return act()
  }
}
