import type { CreatedCall } from '@ratchet/contracts/voice/calls'
import type { MediaReply } from '@ratchet/contracts/voice/media-messages'
import { useEffect, useRef, useState } from 'react'
import { type Line, LineProblem, openAudio, openLine } from './open-line.ts'

export type LineState = 'idle' | 'connecting' | 'lost' | 'listening' | 'thinking' | 'speaking' | 'ended'

interface Said {
  readonly key: number
  readonly role: 'caller' | 'agent' | 'tool'
  readonly text: string
}

interface CallState {
  readonly state: LineState
  readonly problem: string | null
  readonly said: readonly Said[]
  /** What the caller is saying. */
  readonly partial: string
  readonly isMuted: boolean
  readonly callId: string | null
}

const idle: CallState = { state: 'idle', problem: null, said: [], partial: '', isMuted: false, callId: null }

/**
 * A call from this browser.
 *
 * @param create asks for a call; what it throws is shown by who gives it
 */
export function useCall(create: () => Promise<Pick<CreatedCall, 'id' | 'client_token'>>) {
  const [call, setCall] = useState<CallState>(idle)
  const line = useRef<Line | null>(null)
  useEffect(() => () => line.current?.hangUp(), [])

  const change = (part: Partial<CallState> | ((before: CallState) => Partial<CallState>)) =>
    setCall((before) => ({ ...before, ...(typeof part === 'function' ? part(before) : part) }))

  async function begin(): Promise<void> {
    setCall({ ...idle, state: 'connecting' })
    let audio: Awaited<ReturnType<typeof openAudio>> | null = null
    try {
      // Without a microphone no call is created, which would be held and wait for a minute.
      audio = await openAudio()
      const { id, client_token: token = '' } = await create()
      change({ callId: id })
      line.current = openLine(
        { path: `/media/${id}`, token, audio },
        {
          onMessage: (message) => change((before) => after(before, message)),
          onLost: () => change({ state: 'lost' }),
          onClosed: (problem) => change({ state: 'ended', problem, partial: '' }),
        },
      )
    } catch (error) {
      audio?.close()
      change({ state: 'idle', problem: error instanceof LineProblem ? error.message : null })
    }
  }

  return {
    ...call,
    begin,
    hangUp: () => line.current?.hangUp(),
    say: (text: string) => line.current?.say(text),
    mute(isMuted: boolean) {
      line.current?.setMuted(isMuted)
      change({ isMuted })
    },
  }
}

function after({ said }: CallState, message: MediaReply): Partial<CallState> {
  if (message.type === 'state') return { state: message.state }
  if (message.type === 'ready') return { state: 'listening' }
  if (message.type !== 'transcript') return {}
  const { role, text, final } = message
  if (!final) return role === 'caller' ? { partial: text } : {}
  const turn = { key: said.length, role, text }
  return { said: [...said, turn], ...(role === 'caller' ? { partial: '' } : {}) }
}
