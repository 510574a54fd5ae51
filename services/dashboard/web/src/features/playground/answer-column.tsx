import { ActionIcon, Button, Select } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { useKey } from '../../keys/key-context.ts'
import conversation from '../../kit/conversation/conversation.module.css'
import { ModelText } from '../../kit/conversation/model-text.tsx'
import { Icon } from '../../kit/icon.tsx'
import { microOfUsd, moneyText } from '../../kit/money.ts'
import { count } from '../../kit/numbers.ts'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { WordDiff } from '../../kit/text/lazy.tsx'
import { duration } from '../../kit/time.ts'
import type { Answer } from './answer.ts'
import { AnswerGrade } from './answer-grade.tsx'
import styles from './playground.module.css'

interface ModelChoices {
  readonly group: string
  readonly items: readonly string[]
}

interface AnswerColumnProps {
  readonly place: number
  readonly model: string
  readonly choices: readonly ModelChoices[]
  readonly onModel: (model: string | null) => void
  /** Only of the last column, and not of the first. */
  readonly onRemove: (() => void) | undefined
  readonly answer: Answer | undefined
  readonly onStop: () => void
  /** The text to compare with. */
  readonly other: string | null
  /** Whether this answer is the one that is graded. */
  readonly isGraded: boolean
  readonly onGrade: () => void
}

/** One model with its answer. */
export function AnswerColumn(props: AnswerColumnProps): ReactNode {
  const { place, model, choices, onModel, onRemove, answer, onStop, other, isGraded, onGrade } = props
  const field = useRef<HTMLInputElement>(null)
  useKey(`playground.column.${place + 1}`, () => field.current?.focus())
  return (
    <section className={styles.column} aria-label={`Answer ${place + 1}`}>
      <div className={styles.model}>
        <Select
          ref={field}
          aria-label={`Model ${place + 1}`}
          placeholder="Model or alias"
          searchable
          data={withModel(choices, model)}
          value={model === '' ? null : model}
          onChange={onModel}
        />
        {onRemove && (
          <ActionIcon variant="default" size={30} aria-label={`Remove answer ${place + 1}`} onClick={onRemove}>
            <Icon name="close" size={14} />
          </ActionIcon>
        )}
      </div>
      {answer && <AnswerText answer={answer} other={other} />}
      {answer?.state === 'failed' && <ErrorState error={answer.error} />}
      {answer && <Numbers answer={answer} />}
      {answer && <AnswerGrade place={place} answer={answer} isOpen={isGraded} onOpen={onGrade} />}
      {answer?.state === 'running' && (
        <Button variant="default" onClick={onStop}>
          Stop this answer
        </Button>
      )}
    </section>
  )
}

/** A model that a link names is shown although no list has it. */
function withModel(choices: readonly ModelChoices[], model: string) {
  const isListed = model === '' || choices.some(({ items }) => items.includes(model))
  const all = isListed ? choices : [...choices, { group: 'Of this link', items: [model] }]
  return all.map(({ group, items }) => ({ group, items: [...items] }))
}

function AnswerText({ answer, other }: { readonly answer: Answer; readonly other: string | null }): ReactNode {
  const { text, calls, state } = answer
  const isRunning = state === 'running'
  return (
    <div aria-busy={isRunning}>
      {other !== null && !isRunning && text !== '' ? (
        <WordDiff before={other} after={text} />
      ) : (
        <ModelText text={text} isPlain={isRunning} />
      )}
      {calls.map(({ name, input }, index) => (
        <div key={index} className={conversation.call}>
          {name}({input})
        </div>
      ))}
    </div>
  )
}

const stateWords: Record<Answer['state'], string> = {
  running: 'answering',
  done: 'done',
  stopped: 'stopped',
  failed: 'failed',
}

function Numbers({ answer }: { readonly answer: Answer }): ReactNode {
  const { state, head, firstTokenMs, tookMs, tokens, costUsd, finishReason } = answer
  const facts = [
    stateWords[state],
    head?.servedModel ? `served by ${head.servedModel}` : null,
    head?.fallbackFrom ? `after ${head.fallbackFrom} failed` : null,
    firstTokenMs === null ? null : `first token ${duration(firstTokenMs)}`,
    tookMs === null ? null : `took ${duration(tookMs)}`,
    tokens === null ? null : `${count(tokens.prompt)} + ${count(tokens.completion)} tokens`,
    costUsd === null ? null : moneyText(microOfUsd(costUsd)),
    finishReason === null || finishReason === 'stop' ? null : `ended by ${finishReason}`,
    state === 'stopped' && costUsd === null ? 'its cost is in the logs and the ledger' : null,
  ]
  return (
    <div className={styles.numbers} role="status">
      {facts
        .filter((fact) => fact !== null)
        .map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
    </div>
  )
}
