import type { EndReason } from '@ratchet/contracts/voice/end-reasons'
import type { EngineEnd, Turn } from '../engine/call-events.ts'
import { type Call, createCall } from '../engine/create-call.ts'
import type { Recognizer } from '../engine/ports.ts'
import type { CallRecorder } from '../recordings/call-recorder.ts'
import { listenForConsent } from '../recordings/consent-listener.ts'
import { createBeepDetector } from '../voicemail/beep-detector.ts'
import type { StoredCall, WorkerCommand } from './call.ts'
import { callEndOf } from './call-end.ts'
import { type CallJournal, createCallJournal } from './call-journal.ts'
import type { CallLine, HeldOutcome as Outcome } from './call-line.ts'
import type { CallUsage } from './call-money.ts'
import { createCallReporter } from './call-reporter.ts'
import type { HoldCallDeps } from './hold-call-deps.ts'
import { withKeys } from './keys-tool.ts'
import { type PreparedCall, resumedFrom } from './prepared-call.ts'
import { withTransfer } from './transfer-tool.ts'
import { writeUntilDone } from './write-until-done.ts'

const checkpointMs = 1_000
/** Characters that are spoken after a checkpoint, from which the next one comes at once: they cost much in little time. */
const checkpointCharacters = 500
const flushMs = 250

/** Longest waits, milliseconds: of a caller for that, and for the last seconds of a recording. */
const maxCloseMs = 2_000
const maxRecorderMs = 5_000

/** A call that this worker holds. */
export class HeldSession {
  readonly call: StoredCall
  /** Resolves when everything is written and charged. */
  readonly done: Promise<void>
  readonly #deps: HoldCallDeps
  readonly #prepared: PreparedCall
  readonly #line: CallLine
  readonly #journal: CallJournal
  readonly #engine: Call
  readonly #begunMs: number
  readonly #leavePacer: () => void
  readonly #recorder: CallRecorder | null
  readonly #finished = Promise.withResolvers<void>()
  #recognizedMs = 0
  #spokenCharacters = 0
  #checkpointedMs: number
  #checkpointedCharacters = 0
  #flushedMs: number
  #outcome: Outcome | null = null
  #isTransferred = false
  #isClosed = false
  /** What the loss of the line means. */
  #whenGone: Outcome = { kind: 'lost' }

  constructor(deps: HoldCallDeps, prepared: PreparedCall, line: CallLine) {
    const { call, plan, turns, texts, resumeToken } = prepared
    this.call = call
    this.#deps = deps
    this.#prepared = prepared
    this.#line = line
    this.done = this.#finished.promise
    this.#begunMs = deps.nowMs()
    this.#checkpointedMs = this.#begunMs
    this.#flushedMs = this.#begunMs
    const { id: callId } = call
    this.#journal = createCallJournal({
      work: deps.work,
      call,
      seal: deps.spoken,
      now: deps.now,
      onLost: () => this.drop(),
      onError: (error) => deps.onError(error, { callId }),
    })
    const show = line.show.bind(line)
    const reporter = createCallReporter({ journal: this.#journal, show, texts, writtenTurns: turns.length })
    const { sampleRate } = line.transport
    const speech = deps.openSpeech(prepared.spec, sampleRate)
    const atMs = () => this.usage().answeredMs
    const onAnswer = this.#onConsent.bind(this)
    const consent = listenForConsent({ spec: prepared.spec, turns, onAnswer })
    const recorded = { sampleRate, atMs, waits: !consent.isGranted }
    this.#recorder = prepared.spec.recording_enabled ? deps.openRecorder(call, recorded) : null
    const isResumed = call.generation > 1
    this.#engine = createCall({
      ...speech,
      settings: plan.settings,
      transport: this.#recorder?.record(line.transport) ?? line.transport,
      openRecognizer: (events) => this.#counted(speech.openRecognizer(events)),
      synthesizer: speech.synthesizer,
      writer: deps.writers.open({
        workspaceId: call.workspaceId,
        userId: call.userId,
        callId,
        agentId: call.agentId,
        env: call.env,
        settings: plan.writer,
      }),
      tools: withKeys(
        withTransfer(prepared.tools, prepared.spec.transfers, (to) => this.#transfer(to)),
        (keys) => line.press?.(keys) ?? false,
      ),
      beeps: plan.settings.voicemail === null ? null : createBeepDetector(sampleRate),
      onAnswerer: (by) => this.#journal.event({ kind: 'answered_by', atMs: Math.round(atMs()), body: { by } }),
      nowMs: deps.nowMs,
      onTurn: (turn) => {
        reporter.turn(turn)
        consent.take(turn)
      },
      onEnd: (reason) => this.#onEngineEnd(reason),
      record: (event, commands, state) => {
        for (const command of commands) if (command.kind === 'speak') this.#spokenCharacters += command.text.length
        reporter.observe(event, commands, state)
      },
      ...(isResumed ? { resumed: resumedFrom(prepared) } : {}),
    })
    line.connect(this.#engine)
    reporter.begun(call.generation)
    line.begin({ callId, resumeToken, isResumed })
    this.#leavePacer = deps.pacer.add(() => this.#tick())
    this.#engine.answer()
  }

  usage(): CallUsage {
    const { usage } = this.call
    return {
      answeredMs: usage.answeredMs + this.#deps.nowMs() - this.#begunMs,
      recognizedMs: usage.recognizedMs + this.#recognizedMs,
      spokenCharacters: usage.spokenCharacters + this.#spokenCharacters,
    }
  }

  /** Something of the line that reaches the call, while it is held. */
  run(work: () => void): void {
    this.#guarded(work)
  }

  command(command: WorkerCommand): void {
    this.#guarded(() => {
      if (command.kind === 'stop') this.#engine.end('api_stop')
      else if (command.kind === 'say') this.#engine.say(command.text, command.interrupt)
      else void this.#transfer(command.to)
    })
  }

  /** The carrier has ended the line, or it is of no use any more. */
  ended(reason: EndReason): void {
    this.#guarded(() => this.#leave(this.#isTransferred ? callEndOf('transferred') : callEndOf(reason)))
  }

  /** The credits will be used up soon: the agent says so. */
  say(line: string): void {
    this.#guarded(() => this.#engine.say(line, true))
  }

  endUnpaid(reason: 'insufficient_credits' | 'billing_unavailable'): void {
    this.#guarded(() => this.#engine.end(reason))
  }

  /** The caller's connection is closed: on purpose, or lost, so that the caller may come back. */
  closed(isOnPurpose: boolean): void {
    this.#guarded(() => this.#leave(isOnPurpose ? callEndOf('caller_hangup') : { kind: 'lost' }))
  }

  /** @returns whether the carrier connected the caller with the other number */
  async #transfer(to: string): Promise<boolean> {
    const isTransferred = (await this.#line.transfer?.(to)) ?? false
    if (!isTransferred) return false
    this.#guarded(() => {
      this.#isTransferred = true
      this.#leave(callEndOf('transferred'))
    })
    return true
  }

  /** This worker stops: the caller is asked to connect again. */
  handOver(): void {
    this.#guarded(() => this.#leave({ kind: 'leaving' }))
  }

  /** Another worker holds the call: nothing of it is written here any more. */
  drop(): void {
    this.#guarded(() => this.#leave({ kind: 'moved' }))
  }

  #leave(outcome: Outcome): void {
    this.#whenGone = outcome
    this.#engine.onGone()
  }

  #onEngineEnd(reason: EngineEnd | null): void {
    this.#finish(reason === null ? this.#whenGone : callEndOf(reason))
  }

  #counted(recognizer: Recognizer): Recognizer {
    return {
      ...recognizer,
      push: (pcm) => {
        this.#recognizedMs += (pcm.length * 1000) / this.#line.transport.sampleRate
        this.#recorder?.push(pcm)
        recognizer.push(pcm)
      },
    }
  }

  #tick(): void {
    this.#guarded(() => {
      this.#line.passFrame()
      this.#recorder?.tick()
      this.#engine.tick()
      const nowMs = this.#deps.nowMs()
      const characters = this.#spokenCharacters - this.#checkpointedCharacters
      if (nowMs - this.#checkpointedMs >= checkpointMs || characters >= checkpointCharacters) {
        this.#checkpointedMs = nowMs
        this.#checkpointedCharacters = this.#spokenCharacters
        this.#prepared.meter.checkpoint(this.usage())
      }
      if (nowMs - this.#flushedMs >= flushMs) {
        this.#flushedMs = nowMs
        void this.#journal.flush()
      }
    })
  }

  #onConsent(answer: 'granted' | 'refused', { endMs }: Turn): void {
    this.#journal.event({ kind: 'consent', atMs: Math.round(endMs), body: { answer } })
    if (answer === 'granted') this.#recorder?.begin()
  }

  /** An error in one call must not stop others: its caller may come back to another state of it. */
  #guarded(work: () => void): void {
    if (this.#outcome !== null) return
    try {
      work()
    } catch (error) {
      this.#deps.onError(error, { callId: this.call.id })
      this.#finish({ kind: 'lost' })
    }
  }

  #finish(outcome: Outcome): void {
    if (this.#outcome !== null) return
    this.#outcome = outcome
    this.#leavePacer()
    const usage = this.usage()
    if (outcome.kind === 'ended') this.#line.show({ type: 'end', status: outcome.status, reason: outcome.reason })
    // Whoever sees the connection closed can read the call as it ended.
    const close = () => this.#close(outcome)
    const late = setTimeout(close, outcome.kind === 'ended' ? maxCloseMs : 0).unref()
    void this.#conclude(outcome, usage).finally(() => {
      clearTimeout(late)
      close()
      this.#finished.resolve()
    })
  }

  #close(outcome: Outcome): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#line.close(outcome)
  }

  async #conclude(outcome: Outcome, usage: CallUsage): Promise<void> {
    const { meter } = this.#prepared
    const settled = meter.settle(usage).catch((error: unknown) => this.#report(error))
    // What is stored of a call is counted at its end.
    await Promise.race([this.#recorder?.close(), this.#deps.pause(maxRecorderMs)])
    if (outcome.kind !== 'moved') {
      const onError = (error: unknown) => this.#report(error)
      await writeUntilDone(() => this.#write(outcome, usage), { pause: this.#deps.pause, onError })
    }
    await settled
  }

  /** @returns whether everything is written */
  async #write(outcome: Exclude<Outcome, { readonly kind: 'moved' }>, usage: CallUsage): Promise<boolean> {
    const { work } = this.#deps
    await this.#journal.flush()
    if (!this.#journal.isEmpty) return false
    if (outcome.kind === 'ended') {
      const { status, reason, by } = outcome
      await work.end(this.call, { status, reason, by, usage })
    } else await work.detach(this.call, { usage, isLeaving: outcome.kind === 'leaving' })
    return true
  }

  #report(error: unknown): void {
    this.#deps.onError(error, { callId: this.call.id })
  }
}
