/** Roles with what they may do. */
export const roles = [
  { value: 'member', label: 'Member', description: 'Reads everything but money and members, and uses own keys.' },
  { value: 'admin', label: 'Admin', description: 'Also judges, evals, datasets, aliases, logging and provider keys.' },
  { value: 'owner', label: 'Owner', description: 'Everything, with money, members and roles.' },
] as const
