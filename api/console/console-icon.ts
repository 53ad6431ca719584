// The icon of the tab, in the shape of the product's mark.

export const CONSOLE_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#e5484d"/>
<path d="M6 21h9l11-10H15zM6 26h5l4-3H6z" fill="#fff"/></svg>
`;
