import { Button, NumberInput, Pill, Popover, Select, Stack, TextInput } from '@mantine/core'
import { type ComponentType, type ReactNode, useMemo, useRef, useState } from 'react'
import type { z } from 'zod'
import { useKey } from '../../keys/key-context.ts'
import { Icon } from '../icon.tsx'
import styles from './filter-bar.module.css'
import { type FilterField, filterFieldsOf, isoOfLocal, localOfIso } from './filter-fields.ts'

type Values = Readonly<Record<string, string | undefined>>

/** What the field of a page gets. */
export interface OwnFieldProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly onChange: (value: string | null) => void
}

interface FilterBarProps {
  /** The query of the contract: each of its parameters that filters becomes a field. */
  readonly schema: z.ZodObject
  /** The search parameters of the page. */
  readonly values: Values
  /** Called with the parameters that changed; an undefined one is removed. */
  readonly onChange: (changed: Values) => void
  /** Fields of the page's own by parameter, such as one that offers values. */
  readonly fields?: Readonly<Record<string, ComponentType<OwnFieldProps>>>
  /** Values as they are shown, by parameter; by default as they are. */
  readonly textOf?: (name: string, value: string) => string
  readonly children?: ReactNode
}

/** Filters of a list. What is set is in the address of the page, so a link shows the same rows. */
export function FilterBar({ schema, values, onChange, fields: own, textOf, children }: FilterBarProps): ReactNode {
  const fields = useMemo(() => filterFieldsOf(schema), [schema])
  const set = fields.filter(({ name }) => values[name] !== undefined)
  const words = fields.find(({ name }) => name === 'q')
  const search = useRef<HTMLInputElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  useKey('filter', () => (words ? search.current?.focus() : setIsOpen(true)))
  return (
    <search className={styles.bar}>
      {words && (
        <WordsInput ref={search} value={values.q ?? ''} onChange={(q) => onChange({ q: q === '' ? undefined : q })} />
      )}
      <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" shadow="sm" trapFocus width={280}>
        <Popover.Target>
          <Button variant="default" leftSection={<Icon name="plus" size={14} />} onClick={() => setIsOpen(!isOpen)}>
            Filter
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label="Filters">
          <Stack gap={10}>
            {fields
              .filter(({ name }) => name !== 'q')
              .map((field) => (
                <FieldInput
                  key={field.name}
                  field={field}
                  value={values[field.name] ?? ''}
                  onChange={onChange}
                  Own={own?.[field.name]}
                />
              ))}
          </Stack>
        </Popover.Dropdown>
      </Popover>
      {set
        .filter(({ name }) => name !== 'q')
        .map(({ name, label }) => (
          <Pill
            key={name}
            size="md"
            withRemoveButton
            onRemove={() => onChange({ [name]: undefined })}
            removeButtonProps={{ 'aria-label': `Remove the filter ${label}`, 'aria-hidden': false, tabIndex: 0 }}
          >
            {label}: {textOf?.(name, values[name] ?? '') ?? values[name]}
          </Pill>
        ))}
      <span className={styles.spring} />
      {children}
    </search>
  )
}

interface WordsInputProps {
  readonly ref: React.Ref<HTMLInputElement>
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Words are sent with Enter or when the field is left, because every search costs a query. */
function WordsInput({ ref, value, onChange }: WordsInputProps): ReactNode {
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  if (shown !== value) {
    setShown(value)
    setText(value)
  }
  const send = () => text.trim() !== value && onChange(text.trim())
  return (
    <TextInput
      ref={ref}
      className={styles.words ?? ''}
      aria-label="Words to find"
      placeholder="Words"
      leftSection={<Icon name="search" size={14} />}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={send}
      onKeyDown={({ key }) => key === 'Enter' && send()}
    />
  )
}

interface FieldInputProps {
  readonly field: FilterField
  readonly value: string
  readonly onChange: (changed: Values) => void
  readonly Own: ComponentType<OwnFieldProps> | undefined
}

function FieldInput({ field, value, onChange, Own }: FieldInputProps): ReactNode {
  const { name, label, kind } = field
  const set = (text: string | null) => onChange({ [name]: text === null || text === '' ? undefined : text })
  if (Own) return <Own name={name} label={label} value={value} onChange={set} />
  if (kind === 'choice') {
    return (
      <Select
        label={label}
        data={[...field.choices]}
        value={value === '' ? null : value}
        onChange={set}
        clearable
        comboboxProps={{ withinPortal: false }}
      />
    )
  }
  if (kind === 'number') {
    return <NumberInput label={label} value={value} onChange={(next) => set(String(next))} min={0} hideControls />
  }
  if (kind === 'time') {
    const onTime = (local: string) => set(local === '' ? null : isoOfLocal(local))
    return (
      <TextInput
        label={label}
        type="datetime-local"
        value={value === '' ? '' : localOfIso(value)}
        onChange={({ currentTarget }) => onTime(currentTarget.value)}
      />
    )
  }
  return <PlainTextInput key={value} label={label} value={value} problemOf={field.problemOf} onChange={set} />
}

interface PlainTextInputProps extends Omit<OwnFieldProps, 'name'> {
  readonly problemOf: (text: string) => string | null
}

/** A text that the endpoint would refuse is not sent; the field says why. */
function PlainTextInput({ label, value, problemOf, onChange }: PlainTextInputProps): ReactNode {
  const [problem, setProblem] = useState<string | null>(null)
  const send = ({ value: typed }: HTMLInputElement) => {
    const text = typed.trim()
    const found = text === '' ? null : problemOf(text)
    setProblem(found)
    if (found === null && text !== value) onChange(text)
  }
  return (
    <TextInput
      label={label}
      defaultValue={value}
      error={problem}
      onBlur={({ currentTarget }) => send(currentTarget)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && send(currentTarget)}
    />
  )
}
