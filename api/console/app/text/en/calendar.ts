export const calendar = {
  title: 'Calendar',
};
