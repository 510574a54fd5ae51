import { opusSeconds } from './compressed-seconds.ts'

/*
 * How long sounds in WebM and MP4 can be. Tables of MP4 may use the same bytes again and again, and silence has few bytes in both, so
 * packets are counted; each counts as the longest of its codec.
 */

/** Seconds of the longest packet of a codec, and of one that is not known. */
const longest = { aac: 0.3, mp3: 0.15, opus: 0.12, vorbis: 1, unknown: 1 }

const ebmlHead = 0x1a45dfa3
const cluster = 0x1f43b675
const clusterBytes = Buffer.from([0x1f, 0x43, 0xb6, 0x75])
/** Elements whose content are elements: a segment, a cluster, a group of blocks, tracks and a track. */
const parents = new Set([0x18538067, cluster, 0xa0, 0x1654ae6b, 0xae])
const simpleBlock = 0xa3
const block = 0xa1
const codecId = 0x86

/** The most seconds of all blocks of a WebM or Matroska file; 0 for any other. */
export function secondsOfWebm(sound: Buffer): number {
  if (sound.length < 4 || sound.readUInt32BE(0) !== ebmlHead) return 0
  const codecs = new Set<string>()
  let most = longest.unknown
  let seconds = 0
  for (let at = 0; at >= 0 && at < sound.length; ) {
    const idBytes = bytesOfNumber(sound, at)
    const from = at + idBytes + bytesOfNumber(sound, at + idBytes)
    const id = idBytes > 4 || from > sound.length ? -1 : sound.readUIntBE(at, idBytes)
    const to = parents.has(id) ? from : from + numberAt(sound, at + idBytes)
    if (id === -1 || to > sound.length) {
      // Players look for the next cluster.
      at = sound.indexOf(clusterBytes, at + 1)
      continue
    }
    if (id === codecId) {
      codecs.add(sound.toString('latin1', from, Math.min(to, from + 32)))
      most = longestOf(codecs)
    }
    if (id === simpleBlock || id === block) {
      const isOpus = codecs.size === 1 && most === longest.opus
      seconds += blockSeconds(sound, from, { most, isOpus })
    }
    at = to
  }
  return seconds
}

/** Bytes of a number of EBML, by its first byte: 1 to 8, or 9 for none. */
const bytesOfNumber = (sound: Buffer, at: number): number => Math.clz32(sound[at] ?? 0) - 23

function numberAt(sound: Buffer, at: number): number {
  const bytes = bytesOfNumber(sound, at)
  let value = (sound[at] ?? 0) & (0xff >> bytes)
  for (let next = at + 1; next < at + bytes; next += 1) value = value * 256 + (sound[next] ?? 0)
  return value
}

function blockSeconds(
  sound: Buffer,
  from: number,
  { most, isOpus }: { readonly most: number; readonly isOpus: boolean },
): number {
  const flagsAt = from + bytesOfNumber(sound, from) + 2
  const isLaced = ((sound[flagsAt] ?? 0) & 6) !== 0
  if (isLaced) return ((sound[flagsAt + 1] ?? 0) + 1) * most
  return isOpus ? opusSeconds(sound[flagsAt + 1] ?? 0, sound[flagsAt + 2] ?? 0) : most
}

function longestOf(codecs: ReadonlySet<string>): number {
  const each = [...codecs].filter((codec) => !codec.startsWith('V_')).map(longestOfWebm)
  return each.length === 0 ? longest.unknown : Math.max(...each)
}

function longestOfWebm(codec: string): number {
  if (codec === 'A_OPUS') return longest.opus
  if (codec.startsWith('A_AAC')) return longest.aac
  if (codec.startsWith('A_MPEG')) return longest.mp3
  // Its frames are counted by themselves.
  if (codec.startsWith('A_FLAC')) return 0
  return longest.vorbis
}

/** The most seconds of all samples that the tables of an MP4 file name, or that it says it has; 0 for any other. */
export function secondsOfMp4(sound: Buffer): number {
  if (sound.indexOf('moov') < 0 && sound.indexOf('moof') < 0) return 0
  const count = (name: string, at: number) => sum(boxes(sound, name), (box) => u32(box, at))
  const sizes = count('stsz', 8) + count('stz2', 8)
  const times = sum(boxes(sound, 'stts'), (box) => sum(entriesOf(box, 8), (entry) => u32(entry, 0)))
  const edits = sum(boxes(sound, 'elst'), playedEdits)
  const samples = Math.max(sizes, times) * Math.max(1, edits) + count('trun', 4)
  const stated = [...boxes(sound, 'mvhd'), ...boxes(sound, 'mdhd')].map(statedSeconds)
  return Math.max(0, samples * longestOfMp4(sound), ...stated)
}

/** Contents of the boxes of this name, wherever they are, so that none is hidden in another. */
function boxes(sound: Buffer, name: string): readonly Buffer[] {
  const found: Buffer[] = []
  for (let at = sound.indexOf(name, 4); at >= 4; at = sound.indexOf(name, at + 4)) {
    const size = sound.readUInt32BE(at - 4)
    const isBox = size >= 12 && size <= sound.length - at + 4 && (sound[at + 4] ?? 0) <= 1
    if (isBox) found.push(sound.subarray(at + 4, at - 4 + size))
  }
  return found
}

/** Entries behind the version and their number. */
function entriesOf(box: Buffer, bytes: number): readonly Buffer[] {
  const count = Math.min(u32(box, 4), Math.floor((box.length - 8) / bytes))
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    box.subarray(8 + index * bytes, 8 + (index + 1) * bytes),
  )
}

/** Each plays a part of the sound; those at -1 are a pause. */
function playedEdits(box: Buffer): number {
  const isLong = box[0] === 1
  const [bytes, timeAt] = isLong ? [20, 8] : [12, 4]
  return entriesOf(box, bytes).filter((entry) => u32(entry, timeAt) !== 0xffffffff).length
}

function statedSeconds(box: Buffer): number {
  const isLong = box[0] === 1
  const scaleAt = isLong ? 20 : 12
  const duration = isLong ? u32(box, 24) * 2 ** 32 + u32(box, 28) : u32(box, 16)
  // All ones: it does not say.
  const isStated = isLong ? u32(box, 24) !== 0xffffffff : duration !== 0xffffffff
  return isStated ? duration / Math.max(1, u32(box, scaleAt)) : 0
}

function longestOfMp4(sound: Buffer): number {
  const formats = new Set(boxes(sound, 'stsd').flatMap(formatsOf))
  const each = [...formats].filter((format) => !videos.has(format)).map((format) => longestOfFormat(sound, format))
  return each.length === 0 ? longest.unknown : Math.max(...each)
}

const videos = new Set(['avc1', 'avc3', 'hvc1', 'hev1', 'mp4v', 'vp09', 'av01'])

function formatsOf(descriptions: Buffer): readonly string[] {
  const formats: string[] = []
  for (let at = 8; at + 8 <= descriptions.length; at += Math.max(8, u32(descriptions, at))) {
    formats.push(descriptions.toString('latin1', at + 4, at + 8))
  }
  return formats
}

function longestOfFormat(sound: Buffer, format: string): number {
  if (format === 'mp4a') return longest.aac
  if (format === 'Opus') return longest.opus
  if (format === '.mp3') return longest.mp3
  // Its frames are counted by themselves.
  if (format === 'fLaC') return 0
  if (format !== 'alac') return longest.unknown
  return Math.max(...boxes(sound, 'alac').map((box) => u32(box, 4) / slowestRate))
}

const slowestRate = 8_000

const u32 = (bytes: Buffer, at: number): number => (at + 4 <= bytes.length ? bytes.readUInt32BE(at) : 0)
const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0)
