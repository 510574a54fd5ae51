import type { FleetProcess } from '../fleet.ts'

/** A counter of a process as its metrics have it now; 0 when it never counted. */
export async function readCounter({ url }: FleetProcess, name: string, label: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const line = metrics.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(label))
  return Number(line?.split(' ').at(-1) ?? 0)
}
