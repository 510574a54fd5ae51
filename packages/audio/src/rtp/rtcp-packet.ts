/** What one side says about the audio that it received (RFC 3550, section 6.4.1). */
export interface ReceptionReport {
  /** Whose audio. */
  readonly ssrc: number
  /** Share of packets that were lost since the last report, 0 to 1. */
  readonly lostShare: number
  /** Since the beginning. */
  readonly lost: number
  /** With the number of wraps in the upper 16 bits. */
  readonly highestSequence: number
  /** In samples. */
  readonly jitter: number
  /** The middle 32 bits of the time of the last report of the other side; 0 before the first. */
  readonly lastReport: number
  /** Since then, in units of 1/65,536 second. */
  readonly sinceLastReport: number
}

/** A report of a side that sends. */
export interface SenderReport {
  readonly ssrc: number
  /** 64 bits: seconds since 1900 and their fraction. */
  readonly ntpTime: bigint
  readonly timestamp: number
  readonly packets: number
  readonly bytes: number
  readonly received: ReceptionReport | null
}

/** What our side takes from RTCP of the other. */
export interface RtcpContent {
  readonly senderTime: bigint | null
  readonly reports: readonly ReceptionReport[]
  readonly isBye: boolean
}

const senderReportType = 200
const receiverReportType = 201
const descriptionType = 202
const byeType = 203

/** A report and the name of the sender, which every RTCP packet needs. @param name at most 200 bytes */
export function writeSenderReport(
  report: SenderReport,
  name: string,
  { isBye }: { readonly isBye: boolean },
): Uint8Array {
  const { received } = report
  const size = 28 + (received === null ? 0 : 24)
  const text = new TextEncoder().encode(name)
  // SSRC, type, length, text, at least one zero, and zeros up to the next word.
  const descriptionSize = 4 + 4 * Math.ceil((4 + 2 + text.length + 1) / 4)
  const bytes = new Uint8Array(size + descriptionSize + (isBye ? 8 : 0))
  const view = new DataView(bytes.buffer)
  writeHead(view, 0, { count: received === null ? 0 : 1, type: senderReportType, size })
  view.setUint32(4, report.ssrc)
  view.setBigUint64(8, report.ntpTime)
  view.setUint32(16, report.timestamp >>> 0)
  view.setUint32(20, report.packets >>> 0)
  view.setUint32(24, report.bytes >>> 0)
  if (received !== null) writeReception(view, 28, received)
  writeHead(view, size, { count: 1, type: descriptionType, size: descriptionSize })
  view.setUint32(size + 4, report.ssrc)
  bytes.set([1, text.length], size + 8)
  bytes.set(text, size + 10)
  if (isBye) {
    writeHead(view, size + descriptionSize, { count: 1, type: byeType, size: 8 })
    view.setUint32(size + descriptionSize + 4, report.ssrc)
  }
  return bytes
}

function writeHead(
  view: DataView,
  at: number,
  { count, type, size }: { readonly count: number; readonly type: number; readonly size: number },
): void {
  view.setUint8(at, 0x80 | count)
  view.setUint8(at + 1, type)
  view.setUint16(at + 2, size / 4 - 1)
}

function writeReception(view: DataView, at: number, report: ReceptionReport): void {
  view.setUint32(at, report.ssrc)
  view.setUint32(at + 4, (Math.min(255, Math.round(report.lostShare * 256)) << 24) | (report.lost & 0xff_ffff))
  view.setUint32(at + 8, report.highestSequence >>> 0)
  view.setUint32(at + 12, Math.round(report.jitter))
  view.setUint32(at + 16, report.lastReport >>> 0)
  view.setUint32(at + 20, report.sinceLastReport >>> 0)
}

/** @returns null for what is no RTCP */
export function parseRtcp(bytes: Uint8Array): RtcpContent | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const reports: ReceptionReport[] = []
  let senderTime: bigint | null = null
  let isBye = false
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length < at + 8 || view.getUint8(at) >> 6 !== 2) return null
    const type = view.getUint8(at + 1)
    const end = at + 4 + 4 * view.getUint16(at + 2)
    if (end > bytes.length) return null
    if (type === senderReportType && end >= at + 28) senderTime = view.getBigUint64(at + 8)
    if (type === byeType) isBye = true
    const firstReport = type === senderReportType ? at + 28 : type === receiverReportType ? at + 8 : end
    const last = Math.min(end, firstReport + 24 * (view.getUint8(at) & 0x1f))
    for (let report = firstReport; report + 24 <= last; report += 24) reports.push(parseReception(view, report))
    at = end
  }
  return bytes.length === 0 ? null : { senderTime, reports, isBye }
}

function parseReception(view: DataView, at: number): ReceptionReport {
  return {
    ssrc: view.getUint32(at),
    lostShare: view.getUint8(at + 4) / 256,
    lost: view.getUint32(at + 4) & 0xff_ffff,
    highestSequence: view.getUint32(at + 8),
    jitter: view.getUint32(at + 12),
    lastReport: view.getUint32(at + 16),
    sinceLastReport: view.getUint32(at + 20),
  }
}
