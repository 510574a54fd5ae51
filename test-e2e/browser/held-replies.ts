import type { Page } from 'playwright-core'

/** `held`: no reply arrives. `failed`: each read fails in the server. `refused`: the person may not read. `given`: as the server replies. */
type ReplyPhase = 'held' | 'failed' | 'refused' | 'given'

export interface HeldReplies {
  /** From now on; calls that are held get their reply. */
  enter(phase: ReplyPhase): void
}

/** Reads of the pages of a workspace. */
export const workspaceReads = '**/api/w/**'

/**
 * Decides in the browser what the reads of a page reply, from the phase `held` on. A held call is held before it is sent, so it
 * takes none of the six connections that a browser has to a server. Live messages never arrive.
 *
 * @param reads pattern of their addresses
 */
export async function holdReplies(page: Page, reads: string = workspaceReads): Promise<HeldReplies> {
  let phase: ReplyPhase = 'held'
  let release = () => {}
  let released = Promise.resolve()
  const hold = () => {
    released = new Promise((resolve) => {
      release = resolve
    })
  }
  hold()
  await page.route(reads, async (route) => {
    if (new URL(route.request().url()).pathname.endsWith('/live')) return route.abort()
    await released
    const refusal = phase === 'failed' ? failure : phase === 'refused' ? noRight : null
    // The page may have been left meanwhile, and with it the call.
    await (refusal === null ? route.continue() : route.fulfill(refusal)).catch(() => undefined)
  })
  return {
    enter(next) {
      if (next === 'held') hold()
      phase = next
      if (next !== 'held') release()
    },
  }
}

function refusalOf(status: number, code: string, message: string) {
  const error = { message, type: 'invalid_request_error', code, param: null, request_id: 'req_states' }
  return { status, contentType: 'application/json', body: JSON.stringify({ error }) }
}

export const failureText = 'It cannot be read now.'
const failure = refusalOf(500, 'internal_error', failureText)
export const noRightText = 'You may not read this.'
const noRight = refusalOf(403, 'permission_denied', noRightText)
export const adviceWithoutRight = 'An owner of the workspace can give you the right, or do it for you.'
