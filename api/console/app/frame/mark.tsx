// The mark of the product; the icon of the tab has the same shape.

export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <path d="M4 21h11L27 9H15zM4 27h6l5-4H4z" fill="currentColor" />
    </svg>
  );
}
