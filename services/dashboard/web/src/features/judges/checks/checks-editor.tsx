import { Button, Group, NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { maxChecks } from '@ratchet/contracts/criterion-checks'
import type { ReactNode } from 'react'
import { Card, Column } from '../../../kit/page.tsx'
import { type CheckDraft, type CheckType, checkTypes, newCheck, readDraft } from './check-draft.ts'

interface ChecksEditorProps {
  readonly drafts: readonly CheckDraft[]
  readonly onChange: (drafts: readonly CheckDraft[]) => void
  /** Whether what is wrong with the checks is shown. */
  readonly showsProblems: boolean
}

/** The checks that an answer must pass, one below the other. */
export function ChecksEditor({ drafts, onChange, showsProblems }: ChecksEditorProps): ReactNode {
  const replace = (at: number, draft: CheckDraft) =>
    onChange(drafts.map((each, index) => (index === at ? draft : each)))
  return (
    <>
      {drafts.map((draft, index) => (
        <Card key={index} title={`Check ${index + 1}`}>
          <CheckFields
            draft={draft}
            number={index + 1}
            onChange={(changed) => replace(index, changed)}
            problem={showsProblems ? problemOf(draft) : null}
          />
          <Group>
            <Button
              variant="subtle"
              aria-label={`Remove check ${index + 1}`}
              onClick={() => onChange(drafts.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          </Group>
        </Card>
      ))}
      <Group>
        <Button
          variant="default"
          disabled={drafts.length >= maxChecks}
          onClick={() => onChange([...drafts, newCheck('contains')])}
        >
          Add a check
        </Button>
      </Group>
    </>
  )
}

function problemOf(draft: CheckDraft): string | null {
  const read = readDraft(draft)
  return read.kind === 'wrong' ? read.problem : null
}

interface CheckFieldsProps {
  readonly draft: CheckDraft
  readonly number: number
  readonly problem: string | null
  readonly onChange: (draft: CheckDraft) => void
}

function CheckFields({ draft, number, problem, onChange }: CheckFieldsProps): ReactNode {
  const set = (changed: Partial<CheckDraft>) => onChange({ ...draft, ...changed })
  const text = textLabels[draft.type]
  return (
    <Column>
      <Select
        label={`Check ${number}: an answer passes when`}
        allowDeselect={false}
        data={checkTypes.map(([value, label]) => ({ value, label }))}
        value={draft.type}
        onChange={(type) => type !== null && onChange(newCheck(type as CheckType))}
        error={text === undefined ? problem : null}
      />
      {draft.type === 'tool_called' && (
        <TextInput
          label="Tool"
          value={draft.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        />
      )}
      {(draft.type === 'length' || draft.type === 'characters') && (
        <Group gap={12}>
          <NumberInput label="At least" min={0} value={draft.min} onChange={(min) => set({ min })} />
          <NumberInput label="At most" min={0} value={draft.max} onChange={(max) => set({ max })} />
        </Group>
      )}
      {text !== undefined && (
        <Textarea
          label={text}
          autosize
          minRows={draft.type === 'script' ? 6 : 2}
          maxRows={24}
          spellCheck={false}
          classNames={{ input: 'code' }}
          value={draft.text}
          onChange={({ currentTarget }) => set({ text: currentTarget.value })}
          error={problem}
        />
      )}
      <Switch
        label="It passes when this does not hold"
        checked={draft.negate}
        onChange={({ currentTarget }) => set({ negate: currentTarget.checked })}
      />
    </Column>
  )
}

const textLabels: Readonly<Partial<Record<CheckType, string>>> = {
  contains: 'Texts, one per line',
  regex: 'Pattern of the whole answer',
  json_schema: 'JSON Schema',
  tool_called: 'Arguments that it must have, JSON; empty for any',
  script: 'Script',
}
