import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { capturesPath, capturesType, encodeCaptures } from '@ratchet/contracts/captured-exchange'
import { fleetIdentity } from '@ratchet/contracts/identity'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { type CaptureSink, sendInChunks } from './capture-sink.ts'

/** Bytes in one call. */
const maxBytesPerCall = 4 * mebibyte
const headers = { 'content-type': capturesType }

/** Sends exchanges to the logging service directly, which answers once they are stored. */
export function createDirectSink(logging: Pick<FleetClient, 'send'>): CaptureSink {
  return (exchanges) =>
    sendInChunks(exchanges, maxBytesPerCall, async (chunk) => {
      const request = { method: 'POST', path: capturesPath, route: capturesPath, headers } as const
      const { status } = await logging.send({ ...request, body: encodeCaptures(chunk) }, fleetIdentity)
      if (status !== 204) throw new Error(`the logging service answered ${status}`)
    })
}
