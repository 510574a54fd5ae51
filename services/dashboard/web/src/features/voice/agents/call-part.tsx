import { Button, TextInput } from '@mantine/core'
import { createMyCall, listMyCalls } from '@ratchet/contracts/session-voice'
import type { Agent } from '@ratchet/contracts/voice/agents'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Card } from '../../../kit/page.tsx'
import { type State, StateLabel } from '../../../kit/state-mark.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { type LineState, useCall } from '../line/use-call.ts'
import styles from '../voice.module.css'

const words: Readonly<Record<LineState, readonly [string, State]>> = {
  idle: ['not connected', 'none'],
  connecting: ['connects', 'open'],
  lost: ['the line is lost, and opened again', 'wrong'],
  listening: ['listens', 'proven'],
  thinking: ['thinks', 'open'],
  speaking: ['speaks', 'proven'],
  ended: ['the call has ended', 'none'],
}

/** Calls the agent with the microphone of this browser. */
export function CallPart({ agent }: { readonly agent: Agent }): ReactNode {
  const slug = useWorkspaceSlug()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const created = useAct(createMyCall, { changes: [listMyCalls] })
  const call = useCall(() => created.mutateAsync({ body: { agent_id: agent.id, type: 'web' } }))
  const isOn = !['idle', 'ended'].includes(call.state)
  const [word, mark] = words[call.state]
  return (
    <Card title="Call it">
      <div className={styles.parts}>
        <div className={styles.buttons}>
          <NotPermitted reason={reason}>
            {(disabled) =>
              isOn ? (
                <Button color="red" onClick={call.hangUp}>
                  Hang up
                </Button>
              ) : (
                <Button disabled={disabled} onClick={() => void call.begin()}>
                  Call with the microphone
                </Button>
              )
            }
          </NotPermitted>
          {isOn && (
            <Button variant="default" aria-pressed={call.isMuted} onClick={() => call.mute(!call.isMuted)}>
              {call.isMuted ? 'Unmute' : 'Mute'}
            </Button>
          )}
          <span role="status">
            <StateLabel state={mark}>{word}</StateLabel>
          </span>
        </div>
        {created.error !== null && !isOn && <ErrorState error={created.error} onRetry={() => void call.begin()} />}
        {call.problem !== null && <Notice state="wrong">{call.problem}</Notice>}
        <Transcript said={call.said} partial={call.partial} />
        {isOn && <WriteInstead onSend={call.say} />}
        {call.state === 'ended' && call.callId !== null && (
          <Link to="/w/$slug/voice/calls/$id" params={{ slug, id: call.callId }} search={{}}>
            Open the call
          </Link>
        )}
      </div>
    </Card>
  )
}

const names = { caller: 'You', agent: 'Agent', tool: 'Tool' } as const

function Transcript({ said, partial }: Pick<ReturnType<typeof useCall>, 'said' | 'partial'>): ReactNode {
  if (said.length === 0 && partial === '') return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: A box that scrolls must be reached by keys.
    <section tabIndex={0} aria-label="What is said">
      <ol className={styles.said} aria-live="polite">
        {said.map(({ key, role, text }) => (
          <li key={key}>
            <div className={styles.who}>{names[role]}</div>
            <span>{text}</span>
          </li>
        ))}
        {partial !== '' && (
          <li className="dimmed">
            <div className={styles.who}>You</div>
            <span>{partial}</span>
          </li>
        )}
      </ol>
    </section>
  )
}

function WriteInstead({ onSend }: { readonly onSend: (text: string) => void }): ReactNode {
  const [text, setText] = useState('')
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    onSend(text.trim())
    setText('')
  }
  return (
    <form className={styles.write} onSubmit={send}>
      <TextInput
        label="Write instead of speaking"
        value={text}
        maxLength={2_000}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button type="submit" variant="default">
        Send
      </Button>
    </form>
  )
}
