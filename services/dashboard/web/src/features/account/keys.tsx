import { Button, Switch, Text, VisuallyHidden } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { usePreferences } from '../../api/use-preferences.ts'
import { bindingsOf, conflictsOf, type KeyBinding, keysOfPress } from '../../keys/bindings.ts'
import { KeyCaps } from '../../kit/key-caps.tsx'
import { Card } from '../../kit/page.tsx'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { useAllCommands } from '../../shell/use-features.ts'
import styles from './account.module.css'

/** Which keys do what. Every one can be changed, and single letters can be switched off (WCAG 2.1.4). */
export function Keys(): ReactNode {
  const { preferences, change, error } = usePreferences()
  const commands = useAllCommands()
  return (
    <Card title="Keys">
      <Loaded query={preferences}>
        {({ single_keys: singleKeys, shortcuts }) => {
          const bindings = bindingsOf(commands, { single_keys: singleKeys, shortcuts })
          const conflicts = conflictsOf(bindings)
          const labelOf = (id: string) => bindings.find((binding) => binding.id === id)?.label ?? id
          const without = (id: string) => Object.fromEntries(Object.entries(shortcuts).filter(([each]) => each !== id))
          return (
            <>
              <Switch
                label="Single letters are keys"
                description="Switch them off when speech input or a screen reader presses them by mistake."
                checked={singleKeys}
                mb={12}
                onChange={({ currentTarget }) => change({ single_keys: currentTarget.checked })}
              />
              {bindings.map((binding) => (
                <KeyRow
                  key={binding.id}
                  binding={binding}
                  isChanged={shortcuts[binding.id] !== undefined}
                  conflict={conflicts.get(binding.id)?.map(labelOf).join(', ')}
                  onChange={(keys) => change({ shortcuts: { ...shortcuts, [binding.id]: keys } })}
                  onReset={() => change({ shortcuts: without(binding.id) })}
                />
              ))}
            </>
          )
        }}
      </Loaded>
      {error && <ErrorState error={error} />}
    </Card>
  )
}

interface KeyRowProps {
  readonly binding: KeyBinding
  readonly isChanged: boolean
  readonly conflict: string | undefined
  readonly onChange: (keys: string) => void
  readonly onReset: () => void
}

function KeyRow({ binding: { label, active }, isChanged, conflict, onChange, onReset }: KeyRowProps): ReactNode {
  return (
    <div className={styles.row}>
      <span>
        {label}
        {conflict !== undefined && (
          <Text component="span" c="var(--state-wrong)">
            {' '}
            Same keys as: {conflict}
          </Text>
        )}
      </span>
      <span>
        <KeyInput label={label} keys={active} onChange={onChange} />
        {isChanged && (
          <Button variant="subtle" onClick={onReset} aria-label={`Usual keys for ${label}`}>
            Usual
          </Button>
        )}
      </span>
    </div>
  )
}

interface KeyInputProps {
  readonly label: string
  readonly keys: string | null
  readonly onChange: (keys: string) => void
}

/** Takes the next key that is pressed. Escape and Tab leave it, Backspace takes the key away. */
function KeyInput({ label, keys, onChange }: KeyInputProps): ReactNode {
  const [listens, setListens] = useState(false)
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (!listens || event.key === 'Tab') return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') return setListens(false)
    const pressed = event.key === 'Backspace' ? '' : keysOfPress(event)
    if (pressed === null) return
    setListens(false)
    onChange(pressed)
  }
  return (
    <button
      type="button"
      className={styles.keyInput}
      onClick={() => setListens(true)}
      onBlur={() => setListens(false)}
      onKeyDown={onKeyDown}
    >
      <VisuallyHidden>Keys for {label}: </VisuallyHidden>
      {listens ? 'Press a key …' : keys === null ? 'none' : <KeyCaps keys={keys} />}
    </button>
  )
}
