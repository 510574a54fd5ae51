import type { FleetProcess } from '../start-process.ts'

/** The present value of one series of a process; 0 without one. @param label a part of its labels; empty for any */
export async function readMetric({ metricsUrl }: FleetProcess, name: string, label: string): Promise<number> {
  const metrics = await (await fetch(metricsUrl)).text()
  const line = metrics.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(label))
  return Number(line?.split(' ').at(-1) ?? 0)
}
