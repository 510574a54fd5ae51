import { LiveMessage } from '@ratchet/contracts/dashboard/live'

/** Says in a workspace that something changed. It is called after the commit, and nobody waits for it. */
export type Announce = (workspaceId: string, message: LiveMessage) => void

/** Receives the messages of workspaces. */
export interface LiveSource {
  /** Begins to receive the messages of a workspace. */
  follow(workspaceId: string): void
  /** Ends it. */
  unfollow(workspaceId: string): void
}

/** Reads a message of the channel; null for anything else, because other services write them. */
export function parseLiveMessage(text: string): LiveMessage | null {
  try {
    return LiveMessage.parse(JSON.parse(text))
  } catch {
    return null
  }
}
