/** A server that receives load. */
export interface Target {
  readonly id: TargetId
  readonly title: string
  /** URL of chat completions. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /**
   * Process ids by name. The CPU and memory of the target are those of these processes and all their descendants; a
   * descendant with a name of its own counts under that.
   */
  readonly processes: Readonly<Record<string, number>>
  /**
   * Waits until work that continues after the last answer has ended. Absent: until its processes use no more CPU, which
   * a product with timers never reaches.
   */
  readonly drained?: () => Promise<void>
  /** A part of the warm-up, 0..1, for a target that is too slow for all of it. */
  readonly warmUpShare?: number
  /**
   * A gateway, ours or another one; absent for plain proxies. A step that another one fails leaves its figures out instead
   * of ending the run.
   */
  readonly gateway?: 'ours' | 'other'
  /** Describes the work that was done, after the last request. */
  readonly describeWork?: () => Promise<string[]>
}

export const targetIds = ['direct', 'nginx', 'one-hop', 'two-hops', 'portkey', 'litellm', 'fleet'] as const
export type TargetId = (typeof targetIds)[number]

export const chatPath = '/v1/chat/completions'
