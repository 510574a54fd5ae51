interface AliasSetting {
  readonly name: string
  readonly model: string
}

/** More than anybody reads; what is typed next makes it fewer. */
const maxSettings = 30

/** The settings of aliases that `set alias NAME to MODEL` may mean, however much of it is typed; none for other text. */
export function aliasSettings(
  typed: string,
  aliases: readonly { readonly name: string; readonly target_model: string }[],
  models: readonly { readonly id: string }[],
): readonly AliasSetting[] {
  const [, begun = '', modelPart = ''] = /^\s*set(?:\s+alias)?\s+(\S*)(?:\s+to\s+(\S*))?\s*$/i.exec(typed) ?? []
  if (!/^\s*set\s/i.test(typed)) return []
  const [name, model] = [begun.toLowerCase(), modelPart.toLowerCase()]
  return aliases
    .filter((alias) => name === '' || name === 'alias' || alias.name.toLowerCase().includes(name))
    .flatMap((alias) =>
      models
        .filter(({ id }) => id !== alias.target_model && id.toLowerCase().includes(model))
        .map(({ id }) => ({ name: alias.name, model: id })),
    )
    .slice(0, maxSettings)
}
