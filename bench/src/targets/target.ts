/** One thing to send load to. */
export interface Target {
  readonly id: TargetId
  readonly title: string
  /** Where a chat completion is posted. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** By name. Its CPU is that of these processes and all their descendants. */
  readonly processes: Readonly<Record<string, number>>
  /** Its processes that serve HTTP, by name. */
  readonly httpProcesses: Readonly<Record<string, number>>
  /** What it has to show for the work, once all of it is done. */
  readonly describeWork?: () => Promise<string>
}

export const targetIds = ['direct', 'nginx', 'one-hop', 'two-hops', 'fleet'] as const
export type TargetId = (typeof targetIds)[number]

export const chatPath = '/v1/chat/completions'
