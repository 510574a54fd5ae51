import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Lets real time pass where the time itself is part of the test: how long a load lasts, how slow a simulated part is, when
 * a fault happens, or a key that another server expires by its own clock. To wait until something happens use
 * `eventually`; to prove that nothing happens use `staysTrueFor`.
 *
 * @param ms milliseconds
 */
export async function elapse(ms: number): Promise<void> {
  await sleep(ms)
}
