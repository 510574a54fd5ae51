import { ApiError } from '../../api/api-error.ts'
import { withFreshSignIn } from '../../api/fresh-sign-in.ts'

interface Read {
  readonly error: unknown
  readonly refetch: () => Promise<{ readonly error: unknown }>
}

/** Signs in again and reads again; null unless that is what is missing. */
export function signInAgainFor({ error, refetch }: Read): (() => void) | null {
  const read = async () => {
    const answer = await refetch()
    if (answer.error !== null) throw answer.error
  }
  const isTooOld = error instanceof ApiError && error.code === 'fresh_sign_in_required'
  return isTooOld ? () => void withFreshSignIn(read).catch(() => undefined) : null
}
