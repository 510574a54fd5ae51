/** Orders the packets of one RTP stream, and gives out one frame for each 20 ms. */
export interface JitterBuffer {
  /**
   * @param sequence of the RTP packet, 16 bits
   * @param pcm 20 ms of audio
   * @param nowMs when it arrived, on a monotonic clock
   */
  put(sequence: number, pcm: Int16Array, nowMs: number): void
  /**
   * To be called every 20 ms.
   *
   * @returns null while packets are collected, and in place of a packet that did not arrive in time
   */
  take(): Int16Array | null
  /** Since the beginning. */
  readonly counts: Readonly<JitterCounts>
  /** Frames that are held. */
  readonly depth: number
}

export interface JitterCounts {
  received: number
  /** Arrived twice. */
  duplicate: number
  /** Arrived after their turn. */
  late: number
  /** Did not arrive before their turn. */
  lost: number
  /** Left out to make the delay shorter. */
  trimmed: number
}

const frameMs = 20
const minTargetFrames = 1
const firstTargetFrames = 2
const maxTargetFrames = 6
/** Frames beyond the target at which silent frames are left out, and at which any frame is. */
const silentExcess = 1
const anyExcess = 8
/** Root mean square below which a frame counts as silent. */
const silentRms = 300
/** Steps of the sequence number beyond which the sender has begun anew. */
const maxJump = 200

/** A buffer that waits for as long as the arrival of packets varies: 20 to 120 ms, 40 at first. */
export function createJitterBuffer(): JitterBuffer {
  const state: State = {
    frames: new Map(),
    next: null,
    newest: 0,
    isPlaying: false,
    waited: 0,
    target: firstTargetFrames,
    jitterMs: 0,
    transitMs: null,
    counts: { received: 0, duplicate: 0, late: 0, lost: 0, trimmed: 0 },
  }
  return {
    counts: state.counts,
    get depth() {
      return state.frames.size
    },
    put: (sequence, pcm, nowMs) => put(state, { sequence: sequence & 0xffff, pcm, nowMs }),
    take: () => take(state),
  }
}

interface State {
  /** By their number in the stream, which does not wrap around as the sequence number does. */
  readonly frames: Map<number, Int16Array>
  /** The number of the frame whose turn is next. */
  next: number | null
  newest: number
  isPlaying: boolean
  /** Ticks for which the first frame has waited. */
  waited: number
  /** How many frames are collected before the first is given out. */
  target: number
  /** Mean variation of the arrival, as in RFC 3550. */
  jitterMs: number
  transitMs: number | null
  readonly counts: JitterCounts
}

function put(
  state: State,
  { sequence, pcm, nowMs }: { readonly sequence: number; readonly pcm: Int16Array; readonly nowMs: number },
): void {
  const { counts, frames } = state
  counts.received++
  const step = ((sequence - state.newest) << 16) >> 16
  const isNew = state.next === null || Math.abs(step) > maxJump
  if (isNew) restart(state, sequence)
  const number = isNew ? sequence : state.newest + step
  measureJitter(state, number, nowMs)
  if (frames.has(number)) counts.duplicate++
  else if (state.next !== null && number < state.next) skipLate(state, number)
  else frames.set(number, pcm)
  state.newest = Math.max(state.newest, number)
}

/** Before the first frame was given out, a packet that was overtaken still comes in time. */
function skipLate(state: State, number: number): void {
  state.counts.late++
  state.target = Math.min(maxTargetFrames, state.target + (number >= (state.next ?? 0) - maxTargetFrames ? 1 : 0))
}

function restart(state: State, sequence: number): void {
  state.frames.clear()
  state.next = sequence
  state.newest = sequence
  state.isPlaying = false
  state.waited = 0
  state.transitMs = null
}

function measureJitter(state: State, number: number, nowMs: number): void {
  const transitMs = nowMs - number * frameMs
  if (state.transitMs !== null) state.jitterMs += (Math.abs(transitMs - state.transitMs) - state.jitterMs) / 16
  state.transitMs = transitMs
}

function take(state: State): Int16Array | null {
  const { frames, counts } = state
  if (state.next === null) return null
  if (!state.isPlaying) {
    // A sender that pauses after a few packets is not waited for.
    if (frames.size === 0 || (frames.size < state.target && ++state.waited <= state.target)) return null
    state.isPlaying = true
    state.waited = 0
    state.next = Math.min(...frames.keys())
  }
  adaptTarget(state)
  trim(state)
  const frame = frames.get(state.next)
  if (frame === undefined && frames.size === 0) {
    // Nothing is lost yet: the sender may have paused.
    state.isPlaying = false
    return null
  }
  frames.delete(state.next)
  state.next++
  if (frame === undefined) counts.lost++
  return frame ?? null
}

/** Goes down slowly, so that one quiet second does not cost the next burst. */
function adaptTarget(state: State): void {
  const needed = Math.ceil((3 * state.jitterMs) / frameMs) + minTargetFrames
  const within = Math.max(minTargetFrames, Math.min(maxTargetFrames, needed))
  if (within > state.target) state.target = within
  else if (within < state.target && state.next !== null && state.next % 250 === 0) state.target--
}

/** Leaves out frames that make the delay longer than the arrival of packets needs; silent ones first. */
function trim(state: State): void {
  const { frames, counts } = state
  while (state.next !== null) {
    const excess = frames.size - state.target
    const frame = frames.get(state.next)
    const isSilent = frame !== undefined && isQuiet(frame)
    if (excess <= silentExcess || (excess <= anyExcess && !isSilent)) return
    frames.delete(state.next)
    state.next++
    counts.trimmed++
  }
}

function isQuiet(frame: Int16Array): boolean {
  let sum = 0
  for (let i = 0; i < frame.length; i++) sum += (frame[i] ?? 0) ** 2
  return sum < silentRms ** 2 * frame.length
}
