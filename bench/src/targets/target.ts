/** A server that receives load. */
export interface Target {
  readonly id: TargetId
  readonly title: string
  /** URL of chat completions. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Process ids by name. The CPU of the target is that of these processes and all their descendants. */
  readonly processes: Readonly<Record<string, number>>
  /** Its processes that serve HTTP, by name. */
  readonly httpProcesses: Readonly<Record<string, number>>
  /** Checks that the work was done, after the last request. */
  readonly describeWork?: () => Promise<string>
}

export const targetIds = ['direct', 'nginx', 'one-hop', 'two-hops', 'fleet'] as const
export type TargetId = (typeof targetIds)[number]

export const chatPath = '/v1/chat/completions'
