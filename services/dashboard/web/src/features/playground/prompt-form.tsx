import { ActionIcon, Button, NumberInput, Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { newId } from '../../clock.ts'
import { Icon } from '../../kit/icon.tsx'
import { CodeEditor } from '../../kit/text/lazy.tsx'
import type { Draft, Turn } from './draft.ts'
import styles from './playground.module.css'

interface PromptFormProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
}

/** The conversation that all models get. */
export function PromptForm({ draft, onChange }: PromptFormProps): ReactNode {
  const change = (part: Partial<Draft>) => onChange({ ...draft, ...part })
  const { turns } = draft
  const setTurns = (next: readonly Turn[]) => change({ turns: next })
  const nextRole = turns.at(-1)?.role === 'user' ? 'assistant' : 'user'
  return (
    <div className={styles.prompt}>
      <Textarea
        label="System prompt"
        autosize
        minRows={2}
        maxRows={14}
        value={draft.system}
        onChange={({ currentTarget }) => change({ system: currentTarget.value })}
      />
      {turns.map((turn, index) => (
        <TurnField
          key={turn.id}
          turn={turn}
          onText={(text) => setTurns(turns.map((each) => (each === turn ? { ...turn, text } : each)))}
          onRemove={index === 0 ? undefined : () => setTurns(turns.filter((each) => each !== turn))}
        />
      ))}
      <div className={styles.line}>
        <Button
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setTurns([...turns, { id: newId(), role: nextRole, text: '' }])}
        >
          Add a message of the {nextRole}
        </Button>
      </div>
      <div className={styles.line}>
        <NumberInput
          label="Temperature"
          min={0}
          max={2}
          step={0.1}
          w={110}
          value={draft.temperature}
          onChange={(value) => change({ temperature: String(value) })}
        />
        <NumberInput
          label="Tokens at most"
          min={1}
          allowDecimal={false}
          w={130}
          value={draft.maxTokens}
          onChange={(value) => change({ maxTokens: String(value) })}
        />
      </div>
      <details open={draft.tools !== '' || draft.others !== ''}>
        <summary>Tools and other parameters</summary>
        <p className="dimmed">Tools, as a JSON list</p>
        <CodeEditor label="Tools" language="json" value={draft.tools} onChange={(tools) => change({ tools })} />
        <p className="dimmed">Other parameters, as a JSON object</p>
        <CodeEditor
          label="Other parameters"
          language="json"
          value={draft.others}
          onChange={(others) => change({ others })}
        />
      </details>
    </div>
  )
}

interface TurnFieldProps {
  readonly turn: Turn
  readonly onText: (text: string) => void
  readonly onRemove: (() => void) | undefined
}

function TurnField({ turn, onText, onRemove }: TurnFieldProps): ReactNode {
  const label = turn.role === 'user' ? 'User' : 'Assistant'
  return (
    <div className={styles.turn}>
      <Textarea
        label={label}
        autosize
        minRows={2}
        maxRows={14}
        value={turn.text}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
      />
      {onRemove && (
        <ActionIcon
          variant="default"
          size={30}
          aria-label={`Remove the message of the ${turn.role}`}
          onClick={onRemove}
        >
          <Icon name="close" size={14} />
        </ActionIcon>
      )}
    </div>
  )
}
